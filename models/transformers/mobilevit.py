# labels: name::mobilevit author::apple task::image_feature_extraction license::other test_group::transformers params::4937632
"""
MobileViTModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mobilevit/modeling_mobilevit.py
"""

import torch
from transformers import MobileViTConfig, MobileViTModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    model = MobileViTModel.from_pretrained("apple/mobilevit-small", dtype=torch.float32)
else:
    model = MobileViTModel(MobileViTConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
