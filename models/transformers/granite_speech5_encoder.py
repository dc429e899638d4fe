# labels: name::granite_speech5_encoder author::ibm task::audio_feature_extraction license::apache-2.0 test_group::transformers params::472928256
"""
GraniteSpeech5Encoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/granite_speech5/modeling_granite_speech5.py
"""

import torch
from transformers import GraniteSpeech5Encoder, GraniteSpeech5EncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = GraniteSpeech5Encoder(GraniteSpeech5EncoderConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, 4 * config.num_mel_bins)}

# Call the model
model(**inputs)
