# labels: name::gemma4_vision author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::167364608
"""
Gemma4VisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/gemma4/modeling_gemma4.py
"""

import torch
from transformers import Gemma4VisionConfig, Gemma4VisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=768, width=768)

# The model and its inputs
model = Gemma4VisionModel(Gemma4VisionConfig())
model.eval()
config = model.config
rows, columns = height // config.patch_size, width // config.patch_size
positions = torch.cartesian_prod(torch.arange(rows), torch.arange(columns))
inputs = {
    "pixel_values": torch.rand(batch_size, rows * columns, 3 * config.patch_size**2),
    "pixel_position_ids": positions.repeat(batch_size, 1, 1),
}

# Call the model
model(**inputs)
