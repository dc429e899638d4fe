# labels: name::cohere_compass_vision author::cohere task::image_feature_extraction license::apache-2.0 test_group::transformers params::566949104
"""
CohereCompassVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/cohere_compass/modeling_cohere_compass.py
"""

import torch
from transformers import CohereCompassVisionConfig, CohereCompassVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = CohereCompassVisionModel(CohereCompassVisionConfig())
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
