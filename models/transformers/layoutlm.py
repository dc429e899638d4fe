# labels: name::layoutlm author::microsoft task::feature_extraction license::mit test_group::transformers params::112627968
"""
LayoutLMModel of transformers in its default size: words on a page in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/layoutlm/modeling_layoutlm.py
"""

import torch
from transformers import LayoutLMConfig, LayoutLMModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = LayoutLMModel.from_pretrained("microsoft/layoutlm-base-uncased", dtype=torch.float32)
else:
    model = LayoutLMModel(LayoutLMConfig())
model.eval()
corners = torch.randint(0, 500, (batch_size, max_seq_length, 2))
sizes = torch.randint(0, 500, (batch_size, max_seq_length, 2))
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "bbox": torch.cat([corners, corners + sizes], dim=-1),
}

# Call the model
model(**inputs)
