# labels: name::efficientnet_v2_s author::google task::image_classification license::bsd-3-clause test_group::torch_hub params::21458488
"""
EfficientNet-V2-S of torchvision, for images of 384 x 384.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/efficientnet.py
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
    "efficientnet_v2_s",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
