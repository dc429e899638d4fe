# labels: name::depth_anything_v2_small_hf author::depth-anything task::depth_estimation license::apache-2.0 test_group::popular_on_huggingface params::24785089
"""
Depth-Anything-V2-Small-hf of depth-anything, to estimate how far away each pixel is.

https://huggingface.co/depth-anything/Depth-Anything-V2-Small-hf
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
config = DepthAnythingConfig(
    backbone_config={
        "model_type": "dinov2",
        "hidden_size": 384,
        "num_attention_heads": 6,
        "image_size": 518,
        "out_indices": [3, 6, 9, 12],
        "reshape_hidden_states": False,
    },
)
if pretrained:
    model = DepthAnythingForDepthEstimation.from_pretrained(
        "depth-anything/Depth-Anything-V2-Small-hf", dtype=torch.float32
    )
else:
    model = DepthAnythingForDepthEstimation(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
