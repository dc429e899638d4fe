# labels: name::hubert author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::94371712
"""
HubertModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/hubert/modeling_hubert.py
"""

import torch
from transformers import HubertConfig, HubertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = HubertModel.from_pretrained("facebook/hubert-base-ls960", dtype=torch.float32)
else:
    model = HubertModel(HubertConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
