# labels: name::mobilenet_v3_large author::google task::image_classification license::bsd-3-clause test_group::torch_hub params::5483032
"""
MobileNet-V3-Large of torchvision, for images of 224 x 224.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/mobilenetv3.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
model = torchvision.models.get_model(
    "mobilenet_v3_large",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
