# labels: name::gemma3n_audio author::google task::audio_feature_extraction license::apache-2.0 test_group::transformers params::681348640
"""
Gemma3nAudioEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/gemma3n/modeling_gemma3n.py
"""

import torch
from transformers import Gemma3nAudioConfig, Gemma3nAudioEncoder

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = Gemma3nAudioEncoder(Gemma3nAudioConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {
    "audio_mel": torch.randn(batch_size, frames, config.input_feat_size),
    "audio_mel_mask": torch.zeros(batch_size, frames, dtype=torch.bool),
}

# Call the model
model(**inputs)
