# labels: name::swin3d_s author::microsoft task::video_classification license::bsd-3-clause test_group::torchvision params::49816678
"""
Swin3D-S of torchvision, for clips of 32 frames of 224 x 224.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/video/swin_transformer.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
model = torchvision.models.get_model(
    "swin3d_s",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, 32, height, width)}

# Call the model
model(**inputs)
