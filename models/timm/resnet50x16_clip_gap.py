# labels: name::resnet50x16_clip_gap author::timm task::image_feature_extraction license::mit test_group::timm params::136202640
"""
resnet50x16_clip_gap of timm, for images of 384 x 384.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/byobnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=384, width=384
)

# The model and its inputs
model = timm.create_model("resnet50x16_clip_gap", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
