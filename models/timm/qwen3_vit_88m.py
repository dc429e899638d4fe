# labels: name::qwen3_vit_88m author::alibaba task::image_feature_extraction license::apache-2.0 test_group::timm params::87414528
"""
qwen3_vit_88m of timm, for images of 768 x 768.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/qwen3_vit.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=768, width=768
)

# The model and its inputs
model = timm.create_model("qwen3_vit_88m", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
