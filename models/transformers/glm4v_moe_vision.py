# labels: name::glm4v_moe_vision author::zhipu task::image_feature_extraction license::apache-2.0 test_group::transformers params::892498432
"""
Glm4vMoeVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/glm4v_moe/modeling_glm4v_moe.py
"""

import torch
from transformers import Glm4vMoeVisionConfig, Glm4vMoeVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=336, width=336)

# The model and its inputs
model = Glm4vMoeVisionModel(Glm4vMoeVisionConfig())
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
