# labels: name::eva02_tiny_patch14_336 author::timm task::image_classification license::mit test_group::timm params::5756584
"""
eva02_tiny_patch14_336 of timm, for images of 336 x 336.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/eva.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=336, width=336
)

# The model and its inputs
model = timm.create_model("eva02_tiny_patch14_336", pretrained=pretrained, img_size=(height, width))
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
