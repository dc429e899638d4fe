# labels: name::dac author::descript task::audio_feature_extraction license::apache-2.0 test_group::transformers params::76620777
"""
DacModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dac/modeling_dac.py
"""

import torch
from transformers import DacConfig, DacModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = DacModel.from_pretrained("descript/dac_16khz", dtype=torch.float32)
else:
    model = DacModel(DacConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs)
