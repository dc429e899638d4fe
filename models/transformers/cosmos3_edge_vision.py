# labels: name::cosmos3_edge_vision author::nvidia task::image_feature_extraction license::apache-2.0 test_group::transformers params::412649712
"""
Cosmos3EdgeVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/cosmos3_edge/modeling_cosmos3_edge.py
"""

import torch
from transformers import Cosmos3EdgeVisionConfig, Cosmos3EdgeVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = Cosmos3EdgeVisionModel(Cosmos3EdgeVisionConfig())
model.eval()
config = model.config
rows, columns = height // config.patch_size, width // config.patch_size
count = batch_size * rows * columns
patch = config.num_channels * config.patch_size**2
inputs = {
    "pixel_values": torch.randn(count, patch),
    "grid_thw": torch.tensor([[1, rows, columns]] * batch_size),
}

# Call the model
model(**inputs)
