# labels: name::eva_giant_patch14_560 author::timm task::image_classification license::mit test_group::timm params::1014447464
"""
eva_giant_patch14_560 of timm, for images of 560 x 560.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/eva.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=560, width=560
)

# The model and its inputs
model = timm.create_model(
    "eva_giant_patch14_560", pretrained=pretrained, img_size=(height, width), dtype=torch.bfloat16
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width, dtype=torch.bfloat16)}

# Call the model
model(**inputs)
