# labels: name::unispeech author::microsoft task::audio_feature_extraction license::apache-2.0 test_group::transformers params::94371712
"""
UniSpeechModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/unispeech/modeling_unispeech.py
"""

import torch
from transformers import UniSpeechConfig, UniSpeechModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = UniSpeechModel.from_pretrained(
        "microsoft/unispeech-large-1500h-cv", dtype=torch.float32
    )
else:
    model = UniSpeechModel(UniSpeechConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
