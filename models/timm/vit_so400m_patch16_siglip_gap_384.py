# labels: name::vit_so400m_patch16_siglip_gap_384 author::timm task::image_feature_extraction license::apache-2.0 test_group::timm params::413018352
"""
vit_so400m_patch16_siglip_gap_384 of timm, for images of 384 x 384.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/vision_transformer.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=384, width=384
)

# The model and its inputs
model = timm.create_model(
    "vit_so400m_patch16_siglip_gap_384", pretrained=pretrained, img_size=(height, width)
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
