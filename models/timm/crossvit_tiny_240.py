# labels: name::crossvit_tiny_240 author::ibm task::image_classification license::apache-2.0 test_group::timm params::7014800
"""
crossvit_tiny_240 of timm, for images of 240 x 240.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/crossvit.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=240, width=240
)

# The model and its inputs
model = timm.create_model("crossvit_tiny_240", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
