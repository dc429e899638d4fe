# labels: name::mimi_decoder author::huggingface task::audio_feature_extraction license::apache-2.0 test_group::transformers params::39917089
"""
MimiDecoderModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mimi/modeling_mimi.py
"""

import torch
from transformers import MimiDecoderConfig, MimiDecoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = MimiDecoderModel(MimiDecoderConfig())
model.eval()
config = model.config
inputs = {"latents": torch.randn(batch_size, config.hidden_size, 25)}

# Call the model
model(**inputs)
