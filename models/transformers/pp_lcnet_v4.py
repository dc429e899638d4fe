# labels: name::pp_lcnet_v4 author::baidu task::image_feature_extraction license::apache-2.0 test_group::transformers params::2684328
"""
PPLCNetV4Backbone of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pp_lcnet_v4/modeling_pp_lcnet_v4.py
"""

import torch
from transformers import PPLCNetV4Backbone, PPLCNetV4Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = PPLCNetV4Backbone(PPLCNetV4Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
