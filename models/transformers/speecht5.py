# labels: name::speecht5 author::microsoft task::automatic_speech_recognition license::mit test_group::transformers params::151165056
"""
SpeechT5ForSpeechToText of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/speecht5/modeling_speecht5.py
"""

import torch
from transformers import SpeechT5Config, SpeechT5ForSpeechToText

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = SpeechT5ForSpeechToText.from_pretrained("microsoft/speecht5_asr", dtype=torch.float32)
else:
    model = SpeechT5ForSpeechToText(SpeechT5Config())
model.eval()
config = model.config
inputs = {
    "input_values": torch.randn(batch_size, max_audio_seq_length),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
