# labels: name::vibevoice_acoustic_tokenizer_decoder author::microsoft task::audio_feature_extraction license::apache-2.0 test_group::transformers params::175793409
"""
VibeVoiceAcousticTokenizerDecoderModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vibevoice_acoustic_tokenizer/modeling_vibevoice_acoustic_tokenizer.py
"""

import torch
from transformers import (
    VibeVoiceAcousticTokenizerDecoderConfig,
    VibeVoiceAcousticTokenizerDecoderModel,
)

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = VibeVoiceAcousticTokenizerDecoderModel(VibeVoiceAcousticTokenizerDecoderConfig())
model.eval()
config = model.config
inputs = {"hidden_states": torch.randn(batch_size, config.hidden_size, 25)}

# Call the model
model(**inputs)
