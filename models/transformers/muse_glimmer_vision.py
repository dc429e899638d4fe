# labels: name::muse_glimmer_vision author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::1852639744
"""
MuseGlimmerVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/muse_glimmer/modeling_muse_glimmer.py
"""

import torch
from transformers import AutoModel, MuseGlimmerVisionConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = AutoModel.from_config(MuseGlimmerVisionConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
rows, columns = height // config.patch_size, width // config.patch_size
count = batch_size * rows * columns
patch = 3 * config.patch_temporal * config.patch_size**2
inputs = {
    "pixel_values": torch.randn(count, patch, dtype=torch.bfloat16),
    "grid_thw": torch.tensor([[1, rows, columns]] * batch_size),
}

# Call the model
model(**inputs)
