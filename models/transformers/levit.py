# labels: name::levit author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::8442400
"""
LevitModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/levit/modeling_levit.py
"""

import torch
from transformers import LevitConfig, LevitModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = LevitModel.from_pretrained("facebook/levit-128S", dtype=torch.float32)
else:
    model = LevitModel(LevitConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
