# labels: name::bloom_176b_layer_decode author::bigscience task::text_generation license::bigscience-bloom-rail-1.0 test_group::llm_layer params::2466437120
"""
A decoder layer of bloom, with one more token and the cache of a text.

https://huggingface.co/bigscience/bloom
"""

import torch
from transformers import BloomConfig, DynamicCache
from transformers.models.bloom.modeling_bloom import BloomBlock

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
torch.set_default_dtype(torch.bfloat16)
config = BloomConfig(hidden_size=14336, n_layer=70, n_head=112, attn_implementation="eager")
layer = BloomBlock(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
# The further away a token is, the less it counts, and for some heads sooner than for others
slopes = 2.0 ** (-8.0 * torch.arange(1, config.n_head + 1) / config.n_head)
alibi = slopes[:, None, None] * torch.arange(max_seq_length + 1)
cache = DynamicCache()
keys = torch.randn(batch_size, 112, max_seq_length, 128)
values = torch.randn(batch_size, 112, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {
    "hidden_states": hidden_states,
    "attention_mask": None,
    "alibi": alibi.repeat(batch_size, 1, 1),
    "layer_past": cache,
}

# Call the layer
layer(**inputs)
