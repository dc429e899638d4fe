# labels: name::dpt author::intel task::depth_estimation license::apache-2.0 test_group::transformers params::110878081
"""
DPTForDepthEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dpt/modeling_dpt.py
"""

import torch
from transformers import DPTConfig, DPTForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = DPTForDepthEstimation.from_pretrained("Intel/dpt-large", dtype=torch.float32)
else:
    model = DPTForDepthEstimation(DPTConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
