# labels: name::minicpmv4_7_vision author::openbmb task::image_feature_extraction license::apache-2.0 test_group::transformers params::135366144
"""
MiniCPMV4_7VisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/minicpmv4_7/modeling_minicpmv4_7.py
"""

import torch
from transformers import MiniCPMV4_7VisionConfig, MiniCPMV4_7VisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=448, width=448)

# The model and its inputs
model = MiniCPMV4_7VisionModel(MiniCPMV4_7VisionConfig())
model.eval()
config = model.config
side = config.patch_size
rows, columns = height // side, width // side
inputs = {
    "pixel_values": torch.randn(1, 3, side, batch_size * rows * columns * side),
    "target_sizes": torch.tensor([[rows, columns]] * batch_size),
}

# Call the model
model(**inputs)
