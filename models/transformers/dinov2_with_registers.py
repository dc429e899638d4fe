# labels: name::dinov2_with_registers author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::85820928
"""
Dinov2WithRegistersModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dinov2_with_registers/modeling_dinov2_with_registers.py
"""

import torch
from transformers import Dinov2WithRegistersConfig, Dinov2WithRegistersModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = Dinov2WithRegistersModel.from_pretrained(
        "facebook/dinov2-with-registers-base", dtype=torch.float32
    )
else:
    model = Dinov2WithRegistersModel(Dinov2WithRegistersConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
