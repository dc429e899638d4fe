# labels: name::depth_pro author::apple task::depth_estimation license::apple-amlr test_group::transformers params::210594881
"""
DepthProForDepthEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/depth_pro/modeling_depth_pro.py
"""

import torch
from transformers import DepthProConfig, DepthProForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1536, width=1536
)

# The model and its inputs
if pretrained:
    model = DepthProForDepthEstimation.from_pretrained("apple/DepthPro", dtype=torch.float32)
else:
    model = DepthProForDepthEstimation(DepthProConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model, without what only gradients need
with torch.no_grad():
    model(**inputs)
