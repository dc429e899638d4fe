# labels: name::xcodec author::hf-audio task::audio_feature_extraction license::apache-2.0 test_group::transformers params::160698625
"""
XcodecModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/xcodec/modeling_xcodec.py
"""

import torch
from transformers import XcodecConfig, XcodecModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = XcodecModel.from_pretrained("hf-audio/xcodec-hubert-librispeech", dtype=torch.float32)
else:
    model = XcodecModel(XcodecConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs)
