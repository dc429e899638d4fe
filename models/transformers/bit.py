# labels: name::bit author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::23500352
"""
BitModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/bit/modeling_bit.py
"""

import torch
from transformers import BitConfig, BitModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = BitModel.from_pretrained("google/bit-50", dtype=torch.float32)
else:
    model = BitModel(BitConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
