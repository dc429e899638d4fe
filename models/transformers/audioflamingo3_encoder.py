# labels: name::audioflamingo3_encoder author::nvidia task::audio_feature_extraction license::apache-2.0 test_group::transformers params::636968960
"""
AudioFlamingo3Encoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/audioflamingo3/modeling_audioflamingo3.py
"""

import torch
from transformers import AudioFlamingo3Encoder, AudioFlamingo3EncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = AudioFlamingo3Encoder(AudioFlamingo3EncoderConfig())
model.eval()
config = model.config
frames = 2 * config.max_source_positions
inputs = {
    "input_features": torch.randn(batch_size, config.num_mel_bins, frames),
    "input_features_mask": torch.ones(batch_size, frames, dtype=torch.long),
}

# Call the model
model(**inputs)
