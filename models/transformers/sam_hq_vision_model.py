# labels: name::sam_hq_vision_model author::syscv-community task::image_feature_extraction license::apache-2.0 test_group::transformers params::89670912
"""
SamHQVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam_hq/modeling_sam_hq.py
"""

import torch
from transformers import SamHQVisionConfig, SamHQVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = SamHQVisionModel(SamHQVisionConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
