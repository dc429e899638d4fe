# labels: name::swinv2_tiny_window8_256 author::microsoft task::image_classification license::mit test_group::timm params::28347154
"""
swinv2_tiny_window8_256 of timm, for images of 256 x 256.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/swin_transformer_v2.py
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
model = timm.create_model(
    "swinv2_tiny_window8_256", pretrained=pretrained, img_size=(height, width)
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
