# labels: name::maxvit_t author::google task::image_classification license::bsd-3-clause test_group::torch_hub params::30919624
"""
MaxVit-T of torchvision, for images of 224 x 224.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/maxvit.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
model = torchvision.models.get_model(
    "maxvit_t",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, 224, 224)}

# Call the model
model(**inputs)
