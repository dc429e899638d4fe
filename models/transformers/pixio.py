# labels: name::pixio author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::631013120
"""
PixioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pixio/modeling_pixio.py
"""

import torch
from transformers import PixioConfig, PixioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    model = PixioModel.from_pretrained("facebook/pixio-huge", dtype=torch.float32)
else:
    model = PixioModel(PixioConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
