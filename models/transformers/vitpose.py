# labels: name::vitpose author::usyd-community task::keypoint_detection license::apache-2.0 test_group::transformers params::85808642
"""
VitPoseForPoseEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vitpose/modeling_vitpose.py
"""

import torch
from transformers import VitPoseConfig, VitPoseForPoseEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = VitPoseForPoseEstimation.from_pretrained(
        "usyd-community/vitpose-base-simple", dtype=torch.float32
    )
else:
    model = VitPoseForPoseEstimation(VitPoseConfig())
model.eval()
vision = model.config.backbone_config
height, width = vision.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
