# labels: name::voxtral_realtime_encoder author::mistralai task::audio_feature_extraction license::apache-2.0 test_group::transformers params::970395392
"""
VoxtralRealtimeEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/voxtral_realtime/modeling_voxtral_realtime.py
"""

import torch
from transformers import VoxtralRealtimeEncoder, VoxtralRealtimeEncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = VoxtralRealtimeEncoder(VoxtralRealtimeEncoderConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, config.num_mel_bins, frames)}

# Call the model
model(**inputs)
