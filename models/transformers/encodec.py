# labels: name::encodec author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::14851810
"""
EncodecModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/encodec/modeling_encodec.py
"""

import torch
from transformers import EncodecConfig, EncodecModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = EncodecModel.from_pretrained("facebook/encodec_24khz", dtype=torch.float32)
else:
    model = EncodecModel(EncodecConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs)
