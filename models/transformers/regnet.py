# labels: name::regnet author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::19557656
"""
RegNetModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/regnet/modeling_regnet.py
"""

import torch
from transformers import RegNetConfig, RegNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = RegNetModel.from_pretrained("facebook/regnet-y-040", dtype=torch.float32)
else:
    model = RegNetModel(RegNetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
