# labels: name::voxtral_encoder author::mistralai task::audio_feature_extraction license::apache-2.0 test_group::transformers params::636968960
"""
VoxtralEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/voxtral/modeling_voxtral.py
"""

import torch
from transformers import VoxtralEncoder, VoxtralEncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = VoxtralEncoder(VoxtralEncoderConfig())
model.eval()
config = model.config
frames = 2 * config.max_source_positions
inputs = {"input_features": torch.randn(batch_size, config.num_mel_bins, frames)}

# Call the model
model(**inputs)
