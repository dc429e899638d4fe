# labels: name::neucodec author::neuphonic task::audio_feature_extraction license::apache-2.0 test_group::transformers params::629937706
"""
NeuCodecModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/neucodec/modeling_neucodec.py
"""

import torch
from transformers import NeuCodecConfig, NeuCodecModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = NeuCodecModel.from_pretrained("neuphonic/neucodec", dtype=torch.float32)
else:
    model = NeuCodecModel(NeuCodecConfig())
model.eval()
inputs = {
    "input_values": torch.randn(batch_size, 1, max_audio_seq_length),
    "input_features": torch.randn(batch_size, max_audio_seq_length // 320, 160),
}

# Call the model
model(**inputs)
