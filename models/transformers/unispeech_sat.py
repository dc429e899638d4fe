# labels: name::unispeech_sat author::microsoft task::audio_feature_extraction license::apache-2.0 test_group::transformers params::94371712
"""
UniSpeechSatModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/unispeech_sat/modeling_unispeech_sat.py
"""

import torch
from transformers import UniSpeechSatConfig, UniSpeechSatModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = UniSpeechSatModel.from_pretrained(
        "microsoft/unispeech-sat-base-100h-libri-ft", dtype=torch.float32
    )
else:
    model = UniSpeechSatModel(UniSpeechSatConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
