# labels: name::xcodec2 author::hkustaudio task::audio_feature_extraction license::apache-2.0 test_group::transformers params::629281706
"""
Xcodec2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/xcodec2/modeling_xcodec2.py
"""

import torch
from transformers import Xcodec2Config, Xcodec2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Xcodec2Model.from_pretrained("HKUSTAudio/xcodec2-hf", dtype=torch.float32)
else:
    model = Xcodec2Model(Xcodec2Config())
model.eval()
inputs = {
    "input_values": torch.randn(batch_size, 1, max_audio_seq_length),
    "input_features": torch.randn(batch_size, max_audio_seq_length // 320, 160),
}

# Call the model
model(**inputs)
