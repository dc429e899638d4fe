# labels: name::pocket_tts_audio_tokenizer_decoder author::huggingface task::audio_feature_extraction license::apache-2.0 test_group::transformers params::10288929
"""
PocketTTSAudioTokenizerDecoderModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pocket_tts_audio_tokenizer/modeling_pocket_tts_audio_tokenizer.py
"""

import torch
from transformers import PocketTTSAudioTokenizerDecoderConfig, PocketTTSAudioTokenizerDecoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = PocketTTSAudioTokenizerDecoderModel(PocketTTSAudioTokenizerDecoderConfig())
model.eval()
config = model.config
inputs = {"latents": torch.randn(batch_size, config.hidden_size, 25)}

# Call the model
model(**inputs)
