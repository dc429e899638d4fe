# labels: name::r3d_18 author::meta task::video_classification license::bsd-3-clause test_group::torchvision params::33371472
"""
R3D-18 of torchvision, for clips of 16 frames of 112 x 112.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/video/resnet.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=112, width=112
)

# The model and its inputs
model = torchvision.models.get_model(
    "r3d_18",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, 16, height, width)}

# Call the model
model(**inputs)
