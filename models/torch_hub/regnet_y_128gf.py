# labels: name::regnet_y_128gf author::meta task::image_classification license::cc-by-nc-4.0 test_group::torch_hub params::644812894
"""
RegNet-Y-128GF of torchvision, for images of 384 x 384.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/regnet.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=384, width=384
)

# The model and its inputs
model = torchvision.models.get_model(
    "regnet_y_128gf",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
