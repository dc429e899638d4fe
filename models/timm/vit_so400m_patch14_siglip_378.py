# labels: name::vit_so400m_patch14_siglip_378 author::timm task::image_feature_extraction license::apache-2.0 test_group::timm params::428225600
"""
vit_so400m_patch14_siglip_378 of timm, for images of 378 x 378.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/vision_transformer.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=378, width=378
)

# The model and its inputs
model = timm.create_model(
    "vit_so400m_patch14_siglip_378", pretrained=pretrained, img_size=(height, width)
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
