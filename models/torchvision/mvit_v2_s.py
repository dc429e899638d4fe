# labels: name::mvit_v2_s author::meta task::video_classification license::bsd-3-clause test_group::torchvision params::34537744
"""
MViT-V2-S of torchvision, for clips of 16 frames of 224 x 224.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/video/mvit.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
model = torchvision.models.get_model(
    "mvit_v2_s",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, 16, 224, 224)}

# Call the model
model(**inputs)
