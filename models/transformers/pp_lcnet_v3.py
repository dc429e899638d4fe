# labels: name::pp_lcnet_v3 author::baidu task::image_feature_extraction license::apache-2.0 test_group::transformers params::5513840
"""
PPLCNetV3Backbone of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pp_lcnet_v3/modeling_pp_lcnet_v3.py
"""

import torch
from transformers import PPLCNetV3Backbone, PPLCNetV3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = PPLCNetV3Backbone(PPLCNetV3Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
