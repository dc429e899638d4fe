# labels: name::vjepa2 author::meta task::video_feature_extraction license::apache-2.0 test_group::transformers params::325971328
"""
VJEPA2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vjepa2/modeling_vjepa2.py
"""

import torch
from transformers import VJEPA2Config, VJEPA2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = VJEPA2Model.from_pretrained("facebook/vjepa2-vitl-fpc64-256", dtype=torch.float32)
else:
    model = VJEPA2Model(VJEPA2Config())
model.eval()
config = model.config
size = config.crop_size
inputs = {"pixel_values_videos": torch.rand(batch_size, config.frames_per_clip, 3, size, size)}

# Call the model
model(**inputs)
