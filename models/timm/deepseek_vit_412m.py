# labels: name::deepseek_vit_412m author::deepseek task::image_feature_extraction license::mit test_group::timm params::411842560
"""
deepseek_vit_412m of timm, for images of 546 x 546.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/deepseek_vit.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=546, width=546
)

# The model and its inputs
model = timm.create_model("deepseek_vit_412m", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
