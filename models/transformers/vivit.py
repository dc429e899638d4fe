# labels: name::vivit author::google task::video_feature_extraction license::apache-2.0 test_group::transformers params::89236992
"""
VivitModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vivit/modeling_vivit.py
"""

import torch
from transformers import VivitConfig, VivitModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = VivitModel.from_pretrained("google/vivit-b-16x2-kinetics400", dtype=torch.float32)
else:
    model = VivitModel(VivitConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, config.num_frames, 3, size, size)}

# Call the model
model(**inputs)
