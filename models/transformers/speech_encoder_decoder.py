# labels: name::speech_encoder_decoder author::huggingface task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::232252858
"""
SpeechEncoderDecoderModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/speech_encoder_decoder/modeling_speech_encoder_decoder.py
"""

import torch
from transformers import SpeechEncoderDecoderConfig, SpeechEncoderDecoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length"]
)

# The model and its inputs
model = SpeechEncoderDecoderModel(SpeechEncoderDecoderConfig())
model.eval()
language = model.config.decoder
inputs = {
    "input_values": torch.randn(batch_size, max_audio_seq_length),
    "decoder_input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
