# labels: name::wav2vec2 author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::94371712
"""
Wav2Vec2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/wav2vec2/modeling_wav2vec2.py
"""

import torch
from transformers import Wav2Vec2Config, Wav2Vec2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Wav2Vec2Model.from_pretrained("facebook/wav2vec2-base-960h", dtype=torch.float32)
else:
    model = Wav2Vec2Model(Wav2Vec2Config())
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
