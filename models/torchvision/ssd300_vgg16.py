# labels: name::ssd300_vgg16 author::torchvision task::object_detection license::bsd-3-clause test_group::torchvision params::35641826
"""
SSD300-VGG16 of torchvision, for images of 300 x 300.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/detection/ssd.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=300, width=300
)

# The model and its inputs
model = torchvision.models.get_model(
    "ssd300_vgg16",
    weights="DEFAULT" if pretrained else None,
    weights_backbone=None,
)
model.eval()
images = list(torch.rand(batch_size, 3, height, width))

# Call the model
model(images)
