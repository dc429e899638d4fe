# labels: name::inception_v3 author::google task::image_classification license::bsd-3-clause test_group::torch_hub params::27161264
"""
Inception-V3 of torchvision, for images of 299 x 299.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/inception.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=299, width=299
)

# The model and its inputs
model = torchvision.models.get_model(
    "inception_v3",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
