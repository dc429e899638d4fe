# labels: name::canine author::google task::feature_extraction license::apache-2.0 test_group::transformers params::132082944
"""
CanineModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/canine/modeling_canine.py
"""

import torch
from transformers import CanineConfig, CanineModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = CanineModel.from_pretrained("google/canine-s", dtype=torch.float32)
else:
    model = CanineModel(CanineConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(32, 0x10000, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
