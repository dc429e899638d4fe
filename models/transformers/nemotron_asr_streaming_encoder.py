# labels: name::nemotron_asr_streaming_encoder author::nvidia task::audio_feature_extraction license::apache-2.0 test_group::transformers params::608011264
"""
NemotronAsrStreamingEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nemotron_asr_streaming/modeling_nemotron_asr_streaming.py
"""

import torch
from transformers import NemotronAsrStreamingEncoder, NemotronAsrStreamingEncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = NemotronAsrStreamingEncoder(NemotronAsrStreamingEncoderConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, config.num_mel_bins)}

# Call the model
model(**inputs)
