# labels: name::vibevoice_acoustic_tokenizer_encoder author::microsoft task::audio_feature_extraction license::apache-2.0 test_group::transformers params::343696032
"""
VibeVoiceAcousticTokenizerEncoderModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vibevoice_acoustic_tokenizer/modeling_vibevoice_acoustic_tokenizer.py
"""

import torch
from transformers import (
    VibeVoiceAcousticTokenizerEncoderConfig,
    VibeVoiceAcousticTokenizerEncoderModel,
)

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = VibeVoiceAcousticTokenizerEncoderModel(VibeVoiceAcousticTokenizerEncoderConfig())
model.eval()
inputs = {"hidden_states": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs)
