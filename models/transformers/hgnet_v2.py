# labels: name::hgnet_v2 author::ustc-community task::image_feature_extraction license::apache-2.0 test_group::transformers params::13553376
"""
HGNetV2Backbone of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/hgnet_v2/modeling_hgnet_v2.py
"""

import torch
from transformers import HGNetV2Backbone, HGNetV2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = HGNetV2Backbone.from_pretrained("ustc-community/hgnet-v2", dtype=torch.float32)
else:
    model = HGNetV2Backbone(HGNetV2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
