# labels: name::mimi author::kyutai task::audio_feature_extraction license::cc-by-4.0 test_group::transformers params::79308609
"""
MimiModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mimi/modeling_mimi.py
"""

import torch
from transformers import MimiConfig, MimiModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = MimiModel.from_pretrained("kyutai/mimi", dtype=torch.float32)
else:
    model = MimiModel(MimiConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs)
