# labels: name::repghostnet_200 author::timm task::image_classification license::mit test_group::timm params::9796124
"""
repghostnet_200 of timm, for images of 224 x 224.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/repghost.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
model = timm.create_model("repghostnet_200", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
