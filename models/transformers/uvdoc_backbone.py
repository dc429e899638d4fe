# labels: name::uvdoc_backbone author::baidu task::image_feature_extraction license::apache-2.0 test_group::transformers params::7695968
"""
UVDocBackbone of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/uvdoc/modeling_uvdoc.py
"""

import torch
from transformers import UVDocBackbone, UVDocBackboneConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=712, width=488)

# The model and its inputs
model = UVDocBackbone(UVDocBackboneConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
