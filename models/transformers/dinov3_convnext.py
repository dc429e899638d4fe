# labels: name::dinov3_convnext author::meta task::image_feature_extraction license::other test_group::transformers params::27820128
"""
DINOv3ConvNextModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dinov3_convnext/modeling_dinov3_convnext.py
"""

import torch
from transformers import DINOv3ConvNextConfig, DINOv3ConvNextModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = DINOv3ConvNextModel.from_pretrained(
        "facebook/dinov3-convnext-tiny-pretrain-lvd1689m", dtype=torch.float32
    )
else:
    model = DINOv3ConvNextModel(DINOv3ConvNextConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
