# labels: name::eva_large_patch14_196 author::timm task::image_classification license::mit test_group::timm params::304142312
"""
eva_large_patch14_196 of timm, for images of 196 x 196.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/vision_transformer.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=196, width=196
)

# The model and its inputs
model = timm.create_model("eva_large_patch14_196", pretrained=pretrained, img_size=(height, width))
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
