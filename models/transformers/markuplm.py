# labels: name::markuplm author::microsoft task::feature_extraction license::apache-2.0 test_group::transformers params::120038144
"""
MarkupLMModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/markuplm/modeling_markuplm.py
"""

import torch
from transformers import MarkupLMConfig, MarkupLMModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = MarkupLMModel.from_pretrained("microsoft/markuplm-base", dtype=torch.float32)
else:
    model = MarkupLMModel(MarkupLMConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(1, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
