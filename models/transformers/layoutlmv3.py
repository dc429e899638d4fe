# labels: name::layoutlmv3 author::microsoft task::document_feature_extraction license::cc-by-nc-sa-4.0 test_group::transformers params::125326208
"""
LayoutLMv3Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/layoutlmv3/modeling_layoutlmv3.py
"""

import torch
from transformers import LayoutLMv3Config, LayoutLMv3Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = LayoutLMv3Model.from_pretrained("microsoft/layoutlmv3-base", dtype=torch.float32)
else:
    model = LayoutLMv3Model(LayoutLMv3Config())
model.eval()
config = model.config
size = config.input_size
corners = torch.randint(0, 500, (batch_size, max_seq_length, 2))
sizes = torch.randint(0, 500, (batch_size, max_seq_length, 2))
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "bbox": torch.cat([corners, corners + sizes], dim=-1),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
