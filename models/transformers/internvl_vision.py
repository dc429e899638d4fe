# labels: name::internvl_vision author::opengvlab task::image_feature_extraction license::apache-2.0 test_group::transformers params::303938560
"""
InternVLVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/internvl/modeling_internvl.py
"""

import torch
from transformers import InternVLVisionConfig, InternVLVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=448, width=448)

# The model and its inputs
model = InternVLVisionModel(InternVLVisionConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
