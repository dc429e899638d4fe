# labels: name::vit_huge_patch14_clip_224 author::timm task::image_classification license::apache-2.0 test_group::timm params::632047080
"""
vit_huge_patch14_clip_224 of timm, for images of 224 x 224.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/vision_transformer.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
model = timm.create_model(
    "vit_huge_patch14_clip_224", pretrained=pretrained, img_size=(height, width)
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
