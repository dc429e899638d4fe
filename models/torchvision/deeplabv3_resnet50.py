# labels: name::deeplabv3_resnet50 author::google task::semantic_segmentation license::bsd-3-clause test_group::torchvision params::39638869
"""
DeepLabV3-ResNet50 of torchvision, for images of 520 x 520.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/segmentation/deeplabv3.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=520, width=520
)

# The model and its inputs
model = torchvision.models.get_model(
    "deeplabv3_resnet50",
    weights="DEFAULT" if pretrained else None,
    weights_backbone=None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
