# labels: name::dinov2 author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::85725696
"""
Dinov2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dinov2/modeling_dinov2.py
"""

import torch
from transformers import Dinov2Config, Dinov2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = Dinov2Model.from_pretrained("facebook/dinov2-base", dtype=torch.float32)
else:
    model = Dinov2Model(Dinov2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
