# labels: name::resnetrs152 author::timm task::image_classification license::apache-2.0 test_group::timm params::86621576
"""
resnetrs152 of timm, for images of 256 x 256.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/resnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
model = timm.create_model("resnetrs152", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
