# labels: name::mimi_encoder author::huggingface task::audio_feature_extraction license::apache-2.0 test_group::transformers params::38867232
"""
MimiEncoderModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mimi/modeling_mimi.py
"""

import torch
from transformers import MimiEncoderConfig, MimiEncoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = MimiEncoderModel(MimiEncoderConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs)
