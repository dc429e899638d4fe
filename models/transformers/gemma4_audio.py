# labels: name::gemma4_audio author::google task::audio_feature_extraction license::apache-2.0 test_group::transformers params::304824608
"""
Gemma4AudioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/gemma4/modeling_gemma4.py
"""

import torch
from transformers import Gemma4AudioConfig, Gemma4AudioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = Gemma4AudioModel(Gemma4AudioConfig())
model.eval()
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, 128)}

# Call the model
model(**inputs)
