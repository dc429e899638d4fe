# labels: name::vitpose_backbone author::usyd-community task::image_feature_extraction license::apache-2.0 test_group::transformers params::85794816
"""
VitPoseBackbone of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vitpose_backbone/modeling_vitpose_backbone.py
"""

import torch
from transformers import VitPoseBackbone, VitPoseBackboneConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=256, width=192)

# The model and its inputs
model = VitPoseBackbone(VitPoseBackboneConfig(image_size=(height, width)))
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
