# labels: name::focalnet author::microsoft task::image_feature_extraction license::apache-2.0 test_group::transformers params::27658116
"""
FocalNetModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/focalnet/modeling_focalnet.py
"""

import torch
from transformers import FocalNetConfig, FocalNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = FocalNetModel.from_pretrained("microsoft/focalnet-tiny", dtype=torch.float32)
else:
    model = FocalNetModel(FocalNetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
