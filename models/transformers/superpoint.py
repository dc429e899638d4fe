# labels: name::superpoint author::magic-leap-community task::keypoint_detection license::other test_group::transformers params::1300865
"""
SuperPointForKeypointDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/superpoint/modeling_superpoint.py
"""

import torch
from transformers import SuperPointConfig, SuperPointForKeypointDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=480, width=640
)

# The model and its inputs
if pretrained:
    model = SuperPointForKeypointDetection.from_pretrained(
        "magic-leap-community/superpoint", dtype=torch.float32
    )
else:
    model = SuperPointForKeypointDetection(SuperPointConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
