# labels: name::superglue author::magic-leap-community task::keypoint_matching license::other test_group::transformers params::13324162
"""
SuperGlueForKeypointMatching of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/superglue/modeling_superglue.py
"""

import torch
from transformers import SuperGlueConfig, SuperGlueForKeypointMatching

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=480, width=640
)

# The model and its inputs
if pretrained:
    model = SuperGlueForKeypointMatching.from_pretrained(
        "magic-leap-community/superglue_indoor", dtype=torch.float32
    )
else:
    settings = SuperGlueConfig(
        keypoint_detector_config={"model_type": "superpoint", "max_keypoints": 1024}
    )
    model = SuperGlueForKeypointMatching(settings)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 2, 3, height, width)}

# Call the model
model(**inputs)
