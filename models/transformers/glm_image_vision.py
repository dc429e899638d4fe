# labels: name::glm_image_vision author::zhipu task::image_feature_extraction license::apache-2.0 test_group::transformers params::1159607808
"""
GlmImageVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/glm_image/modeling_glm_image.py
"""

import torch
from transformers import AutoModel, GlmImageVisionConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=2048, width=2048)

# The model and its inputs
model = AutoModel.from_config(GlmImageVisionConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
rows, columns = height // config.patch_size, width // config.patch_size
count = batch_size * rows * columns
patch = config.in_channels * config.patch_size**2
inputs = {
    "pixel_values": torch.randn(count, patch, dtype=torch.bfloat16),
    "grid_thw": torch.tensor([[1, rows, columns]] * batch_size),
}

# Call the model
model(**inputs)
