# labels: name::beit author::microsoft task::image_feature_extraction license::apache-2.0 test_group::transformers params::85656576
"""
BeitModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/beit/modeling_beit.py
"""

import torch
from transformers import BeitConfig, BeitModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = BeitModel.from_pretrained("microsoft/beit-base-patch16-224-pt22k", dtype=torch.float32)
else:
    model = BeitModel(BeitConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
