# labels: name::rt_detr_resnet author::microsoft task::image_feature_extraction license::apache-2.0 test_group::transformers params::23527264
"""
RTDetrResNetBackbone of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/rt_detr/modeling_rt_detr_resnet.py
"""

import torch
from transformers import RTDetrResNetBackbone, RTDetrResNetConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=640, width=640)

# The model and its inputs
model = RTDetrResNetBackbone(RTDetrResNetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
