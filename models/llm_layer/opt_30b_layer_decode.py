# labels: name::opt_30b_layer_decode author::facebook task::text_generation license::other test_group::llm_layer params::616655872
"""
A decoder layer of opt-30b, with one more token and the cache of a text.

https://huggingface.co/facebook/opt-30b
"""

import torch
from transformers import DynamicCache, OPTConfig
from transformers.models.opt.modeling_opt import OPTDecoderLayer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = OPTConfig(
    hidden_size=7168,
    num_hidden_layers=48,
    num_attention_heads=56,
    ffn_dim=28672,
    word_embed_proj_dim=7168,
    attn_implementation="sdpa",
)
layer = OPTDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
cache = DynamicCache()
keys = torch.randn(batch_size, 56, max_seq_length, 128)
values = torch.randn(batch_size, 56, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "past_key_values": cache}

# Call the layer
layer(**inputs)
