# labels: name::radio author::nvidia task::image_feature_extraction license::apache-2.0 test_group::transformers params::651727360
"""
RadioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/radio/modeling_radio.py
"""

import torch
from transformers import RadioConfig, RadioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = RadioModel.from_pretrained("nvidia/C-RADIOv4-H", dtype=torch.float32)
else:
    model = RadioModel(RadioConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
