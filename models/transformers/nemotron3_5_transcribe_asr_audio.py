# labels: name::nemotron3_5_transcribe_asr_audio author::nvidia task::audio_feature_extraction license::apache-2.0 test_group::transformers params::630887424
"""
Nemotron3_5TranscribeAsrAudioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nemotron3_5_transcribe/modeling_nemotron3_5_transcribe.py
"""

import torch
from transformers import Nemotron3_5TranscribeAsrAudioConfig, Nemotron3_5TranscribeAsrAudioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = Nemotron3_5TranscribeAsrAudioModel(Nemotron3_5TranscribeAsrAudioConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, config.num_mel_bins)}

# Call the model
model(**inputs)
