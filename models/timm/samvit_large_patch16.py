# labels: name::samvit_large_patch16 author::meta task::image_feature_extraction license::apache-2.0 test_group::timm params::308278272
"""
samvit_large_patch16 of timm, for images of 1024 x 1024.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/vision_transformer_sam.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
model = timm.create_model("samvit_large_patch16", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
