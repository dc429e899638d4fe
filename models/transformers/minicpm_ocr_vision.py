# labels: name::minicpm_ocr_vision author::openbmb task::image_feature_extraction license::apache-2.0 test_group::transformers params::135366144
"""
MiniCPMOcrVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/minicpm_ocr/modeling_minicpm_ocr.py
"""

import torch
from transformers import MiniCPMOcrVisionConfig, MiniCPMOcrVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=448, width=448)

# The model and its inputs
model = MiniCPMOcrVisionModel(MiniCPMOcrVisionConfig())
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
