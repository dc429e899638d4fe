# labels: name::depth_anything_small_hf author::liheyoung task::depth_estimation license::apache-2.0 test_group::popular_on_huggingface params::24785089
"""
depth-anything-small-hf of LiheYoung, to estimate how far away each pixel is.

https://huggingface.co/LiheYoung/depth-anything-small-hf
"""

import torch
from transformers import DepthAnythingConfig, DepthAnythingForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=518, width=518
)

# The model and its inputs
config = DepthAnythingConfig()
if pretrained:
    model = DepthAnythingForDepthEstimation.from_pretrained(
        "LiheYoung/depth-anything-small-hf", dtype=torch.float32
    )
else:
    model = DepthAnythingForDepthEstimation(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
