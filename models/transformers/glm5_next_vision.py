# labels: name::glm5_next_vision author::zhipu task::image_feature_extraction license::apache-2.0 test_group::transformers params::460072448
"""
Glm5NextVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/glm5_next/modeling_glm5_next.py
"""

import torch
from transformers import Glm5NextVisionConfig, Glm5NextVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=336, width=336)

# The model and its inputs
model = Glm5NextVisionModel(Glm5NextVisionConfig())
model.eval()
config = model.config
rows, columns = height // config.patch_size, width // config.patch_size
count = batch_size * rows * columns
patch = config.in_channels * config.temporal_patch_size * config.patch_size**2
inputs = {
    "hidden_states": torch.randn(count, patch),
    "grid_thw": torch.tensor([[1, rows, columns]] * batch_size),
}

# Call the model
model(**inputs)
