# labels: name::swinv2_base_window12_192 author::microsoft task::image_classification license::mit test_group::timm params::109280841
"""
swinv2_base_window12_192 of timm, for images of 192 x 192.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/swin_transformer_v2.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=192, width=192
)

# The model and its inputs
model = timm.create_model(
    "swinv2_base_window12_192", pretrained=pretrained, img_size=(height, width)
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
