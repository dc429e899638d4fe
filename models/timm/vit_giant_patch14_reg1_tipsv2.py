# labels: name::vit_giant_patch14_reg1_tipsv2 author::timm task::image_feature_extraction license::apache-2.0 test_group::timm params::1135949312
"""
vit_giant_patch14_reg1_tipsv2 of timm, for images of 448 x 448.

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
    "vit_giant_patch14_reg1_tipsv2",
    pretrained=pretrained,
    img_size=(height, width),
    dtype=torch.bfloat16,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width, dtype=torch.bfloat16)}

# Call the model
model(**inputs)
