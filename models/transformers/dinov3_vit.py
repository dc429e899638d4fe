# labels: name::dinov3_vit author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::21595008
"""
DINOv3ViTModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dinov3_vit/modeling_dinov3_vit.py
"""

import torch
from transformers import DINOv3ViTConfig, DINOv3ViTModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = DINOv3ViTModel(DINOv3ViTConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
