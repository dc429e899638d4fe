# labels: name::nemotron3_5_transcribe_audio author::nvidia task::audio_feature_extraction license::apache-2.0 test_group::transformers params::730116504
"""
Nemotron3_5TranscribeAudioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nemotron3_5_transcribe/modeling_nemotron3_5_transcribe.py
"""

import torch
from transformers import Nemotron3_5TranscribeAudioConfig, Nemotron3_5TranscribeAudioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = Nemotron3_5TranscribeAudioModel(Nemotron3_5TranscribeAudioConfig())
model.eval()
audio = model.config.asr_config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, audio.num_mel_bins)}

# Call the model
model(**inputs)
