# labels: name::retinanet_resnet50_fpn_v2 author::meta task::object_detection license::bsd-3-clause test_group::torchvision params::38198935
"""
RetinaNet-ResNet50-FPN-V2 of torchvision, for images of 800 x 800.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/detection/retinanet.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=800
)

# The model and its inputs
model = torchvision.models.get_model(
    "retinanet_resnet50_fpn_v2",
    weights="DEFAULT" if pretrained else None,
    weights_backbone=None,
)
model.eval()
images = list(torch.rand(batch_size, 3, height, width))

# Call the model
model(images)
