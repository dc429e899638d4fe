# labels: name::depth_anything author::liheyoung task::depth_estimation license::apache-2.0 test_group::transformers params::24785089
"""
DepthAnythingForDepthEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/depth_anything/modeling_depth_anything.py
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
if pretrained:
    model = DepthAnythingForDepthEstimation.from_pretrained(
        "LiheYoung/depth-anything-small-hf", dtype=torch.float32
    )
else:
    model = DepthAnythingForDepthEstimation(DepthAnythingConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
