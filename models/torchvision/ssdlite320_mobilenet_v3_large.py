# labels: name::ssdlite320_mobilenet_v3_large author::google task::object_detection license::bsd-3-clause test_group::torchvision params::3440060
"""
SSDLite320-MobileNet-V3-Large of torchvision, for images of 320 x 320.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/detection/ssdlite.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=320, width=320
)

# The model and its inputs
model = torchvision.models.get_model(
    "ssdlite320_mobilenet_v3_large",
    weights="DEFAULT" if pretrained else None,
    weights_backbone=None,
)
model.eval()
images = list(torch.rand(batch_size, 3, height, width))

# Call the model
model(images)
