# labels: name::mistral_7b_v0_1_layer_decode author::mistralai task::text_generation license::apache-2.0 test_group::llm_layer params::218112000
"""
A decoder layer of Mistral-7B-v0.1, with one more token and the cache of a text.

https://huggingface.co/mistralai/Mistral-7B-v0.1
"""

import torch
from transformers import DynamicCache, MistralConfig
from transformers.models.mistral.modeling_mistral import MistralDecoderLayer, MistralRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = MistralConfig(
    max_position_embeddings=32768,
    rms_norm_eps=1e-05,
    attn_implementation="sdpa",
)
layer = MistralDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = MistralRotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 8, max_seq_length, 128)
values = torch.randn(batch_size, 8, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
