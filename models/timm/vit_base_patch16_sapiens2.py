# labels: name::vit_base_patch16_sapiens2 author::timm task::image_feature_extraction license::sapiens2-license test_group::timm params::113993472
"""
vit_base_patch16_sapiens2 of timm, for images of 1024 x 768.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/eva.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=768
)

# The model and its inputs
model = timm.create_model("vit_base_patch16_sapiens2", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
