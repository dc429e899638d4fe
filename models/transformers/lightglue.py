# labels: name::lightglue author::eth-cvg task::keypoint_matching license::apache-2.0 test_group::transformers params::13744594
"""
LightGlueForKeypointMatching of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/lightglue/modeling_lightglue.py
"""

import torch
from transformers import LightGlueConfig, LightGlueForKeypointMatching

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=480, width=640
)

# The model and its inputs
if pretrained:
    model = LightGlueForKeypointMatching.from_pretrained(
        "ETH-CVG/lightglue_superpoint", dtype=torch.float32
    )
else:
    model = LightGlueForKeypointMatching(LightGlueConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 2, 3, height, width)}

# Call the model
model(**inputs)
