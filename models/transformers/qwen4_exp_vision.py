# labels: name::qwen4_exp_vision author::qwen task::image_feature_extraction license::apache-2.0 test_group::transformers params::453650672
"""
Qwen4ExpVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/qwen4_exp/modeling_qwen4_exp.py
"""

import torch
from transformers import Qwen4ExpVisionConfig, Qwen4ExpVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = Qwen4ExpVisionModel(Qwen4ExpVisionConfig())
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
