# labels: name::regnetx_004 author::meta task::image_classification license::mit test_group::timm params::5157512
"""
regnetx_004 of timm, for images of 224 x 224.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/regnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
model = timm.create_model("regnetx_004", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
