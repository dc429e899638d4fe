# labels: name::starcoder2_3b_layer_decode author::bigcode task::text_generation license::bigcode-openrail-m test_group::llm_layer params::95979008
"""
A decoder layer of starcoder2-3b, with one more token and the cache of a text.

https://huggingface.co/bigcode/starcoder2-3b
"""

import torch
from transformers import DynamicCache, Starcoder2Config
from transformers.models.starcoder2.modeling_starcoder2 import (
    Starcoder2DecoderLayer,
    Starcoder2RotaryEmbedding,
)

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = Starcoder2Config(
    rope_parameters={"rope_theta": 999999.4420358813, "rope_type": "default"},
    sliding_window=4096,
    max_position_embeddings=16384,
    bos_token_id=0,
    eos_token_id=0,
    attn_implementation="sdpa",
)
layer = Starcoder2DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = Starcoder2RotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 2, max_seq_length, 128)
values = torch.randn(batch_size, 2, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
