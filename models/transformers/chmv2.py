# labels: name::chmv2 author::meta task::depth_estimation license::apache-2.0 test_group::transformers params::336901376
"""
CHMv2ForDepthEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/chmv2/modeling_chmv2.py
"""

import torch
from transformers import CHMv2Config, CHMv2ForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=416, width=416
)

# The model and its inputs
if pretrained:
    model = CHMv2ForDepthEstimation.from_pretrained(
        "facebook/dinov3-vitl16-chmv2-dpt-head", dtype=torch.float32
    )
else:
    model = CHMv2ForDepthEstimation(CHMv2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
