# labels: name::zoedepth author::intel task::depth_estimation license::apache-2.0 test_group::transformers params::333277250
"""
ZoeDepthForDepthEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/zoedepth/modeling_zoedepth.py
"""

import torch
from transformers import ZoeDepthConfig, ZoeDepthForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=384, width=512
)

# The model and its inputs
if pretrained:
    model = ZoeDepthForDepthEstimation.from_pretrained("Intel/zoedepth-nyu", dtype=torch.float32)
else:
    model = ZoeDepthForDepthEstimation(ZoeDepthConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
