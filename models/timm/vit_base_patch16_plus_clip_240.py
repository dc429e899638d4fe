# labels: name::vit_base_patch16_plus_clip_240 author::timm task::image_feature_extraction license::mit test_group::timm params::117214464
"""
vit_base_patch16_plus_clip_240 of timm, for images of 240 x 240.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/vision_transformer.py
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
model = timm.create_model(
    "vit_base_patch16_plus_clip_240", pretrained=pretrained, img_size=(height, width)
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
