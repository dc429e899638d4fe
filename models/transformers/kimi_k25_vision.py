# labels: name::kimi_k25_vision author::moonshotai task::image_feature_extraction license::apache-2.0 test_group::transformers params::416866032
"""
Kimi_K25VisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/kimi_k25/modeling_kimi_k25.py
"""

import torch
from transformers import Kimi_K25VisionConfig, Kimi_K25VisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = Kimi_K25VisionModel(Kimi_K25VisionConfig())
model.eval()
config = model.config
rows, columns = height // config.patch_size, width // config.patch_size
count = batch_size * rows * columns
inputs = {
    "pixel_values": torch.randn(count, 3, config.patch_size, config.patch_size),
    "grid_thw": torch.tensor([[1, rows, columns]] * batch_size),
}

# Call the model
model(**inputs)
