# labels: name::vit_huge_patch16_gap_448 author::timm task::image_feature_extraction license::cc-by-nc-4.0 test_group::timm params::631668480
"""
vit_huge_patch16_gap_448 of timm, for images of 448 x 448.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/vision_transformer.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=448, width=448
)

# The model and its inputs
model = timm.create_model(
    "vit_huge_patch16_gap_448", pretrained=pretrained, img_size=(height, width)
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
