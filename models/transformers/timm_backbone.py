# labels: name::timm_backbone author::huggingface task::image_feature_extraction license::apache-2.0 test_group::transformers params::23508032
"""
TimmBackbone of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/timm_backbone/modeling_timm_backbone.py
"""

import torch
from transformers import TimmBackbone, TimmBackboneConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
settings = TimmBackboneConfig(backbone="resnet50")
model = TimmBackbone(settings)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
