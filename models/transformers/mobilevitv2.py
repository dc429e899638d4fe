# labels: name::mobilevitv2 author::apple task::image_feature_extraction license::other test_group::transformers params::4388841
"""
MobileViTV2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mobilevitv2/modeling_mobilevitv2.py
"""

import torch
from transformers import MobileViTV2Config, MobileViTV2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    model = MobileViTV2Model.from_pretrained("apple/mobilevitv2-1.0", dtype=torch.float32)
else:
    model = MobileViTV2Model(MobileViTV2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
