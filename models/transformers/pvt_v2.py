# labels: name::pvt_v2 author::opengvlab task::image_feature_extraction license::apache-2.0 test_group::transformers params::3409760
"""
PvtV2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pvt_v2/modeling_pvt_v2.py
"""

import torch
from transformers import PvtV2Config, PvtV2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = PvtV2Model.from_pretrained("OpenGVLab/pvt_v2_b0", dtype=torch.float32)
else:
    model = PvtV2Model(PvtV2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
