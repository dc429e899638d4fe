# labels: name::pvt author::xrenya task::image_feature_extraction license::apache-2.0 test_group::transformers params::12716288
"""
PvtModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pvt/modeling_pvt.py
"""

import torch
from transformers import PvtConfig, PvtModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = PvtModel.from_pretrained("Xrenya/pvt-tiny-224", dtype=torch.float32)
else:
    model = PvtModel(PvtConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
