# labels: name::qwen2_audio_encoder author::qwen task::audio_feature_extraction license::apache-2.0 test_group::transformers params::636968960
"""
Qwen2AudioEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/qwen2_audio/modeling_qwen2_audio.py
"""

import torch
from transformers import Qwen2AudioEncoder, Qwen2AudioEncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = Qwen2AudioEncoder(Qwen2AudioEncoderConfig())
model.eval()
config = model.config
frames = 2 * config.max_source_positions
inputs = {"input_features": torch.randn(batch_size, config.num_mel_bins, frames)}

# Call the model
model(**inputs)
