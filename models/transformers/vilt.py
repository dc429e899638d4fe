# labels: name::vilt author::dandelin task::multimodal_feature_extraction license::apache-2.0 test_group::transformers params::111595008
"""
ViltModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vilt/modeling_vilt.py
"""

import torch
from transformers import ViltConfig, ViltModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=40
)

# The model and its inputs
if pretrained:
    model = ViltModel.from_pretrained("dandelin/vilt-b32-mlm", dtype=torch.float32)
else:
    model = ViltModel(ViltConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
