# labels: name::swinv2 author::microsoft task::image_feature_extraction license::apache-2.0 test_group::transformers params::27578154
"""
Swinv2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/swinv2/modeling_swinv2.py
"""

import torch
from transformers import Swinv2Config, Swinv2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = Swinv2Model.from_pretrained(
        "microsoft/swinv2-tiny-patch4-window8-256", dtype=torch.float32
    )
else:
    model = Swinv2Model(Swinv2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
