# labels: name::sapiens2 author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::395450368
"""
Sapiens2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sapiens2/modeling_sapiens2.py
"""

import torch
from transformers import Sapiens2Config, Sapiens2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = Sapiens2Model.from_pretrained("facebook/sapiens2-pretrain-0.4b", dtype=torch.float32)
else:
    model = Sapiens2Model(Sapiens2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
