# labels: name::hubert_base_ls960 author::facebook task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::94371712
"""
hubert-base-ls960 of facebook, for embeddings.

https://huggingface.co/facebook/hubert-base-ls960
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
config = HubertConfig()
if pretrained:
    model = HubertModel.from_pretrained("facebook/hubert-base-ls960", dtype=torch.float32)
else:
    model = HubertModel(config)
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
