# labels: name::opt_66b_layer_decode author::facebook task::text_generation license::other test_group::llm_layer params::1019335680
"""
A decoder layer of opt-66b, with one more token and the cache of a text.

https://huggingface.co/facebook/opt-66b
"""

import torch
from transformers import DynamicCache, OPTConfig
from transformers.models.opt.modeling_opt import OPTDecoderLayer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
torch.set_default_dtype(torch.bfloat16)
config = OPTConfig(
    hidden_size=9216,
    num_hidden_layers=64,
    num_attention_heads=72,
    ffn_dim=36864,
    word_embed_proj_dim=9216,
    attn_implementation="sdpa",
)
layer = OPTDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
cache = DynamicCache()
keys = torch.randn(batch_size, 72, max_seq_length, 128)
values = torch.randn(batch_size, 72, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "past_key_values": cache}

# Call the layer
layer(**inputs)
