# labels: name::gemma3n_vision author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::294126912
"""
TimmWrapperModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/timm_wrapper/modeling_timm_wrapper.py
"""

import torch
from transformers import Gemma3nVisionConfig, TimmWrapperModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = TimmWrapperModel(Gemma3nVisionConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
