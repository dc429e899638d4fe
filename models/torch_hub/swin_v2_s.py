# labels: name::swin_v2_s author::microsoft task::image_classification license::bsd-3-clause test_group::torch_hub params::49737442
"""
Swin-V2-S of torchvision, for images of 256 x 256.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/swin_transformer.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
model = torchvision.models.get_model(
    "swin_v2_s",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
