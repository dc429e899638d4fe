# labels: name::efficientnet_b5 author::google task::image_classification license::bsd-3-clause test_group::torch_hub params::30389784
"""
EfficientNet-B5 of torchvision, for images of 456 x 456.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/efficientnet.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=456, width=456
)

# The model and its inputs
model = torchvision.models.get_model(
    "efficientnet_b5",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
