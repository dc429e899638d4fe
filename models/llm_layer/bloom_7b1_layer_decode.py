# labels: name::bloom_7b1_layer_decode author::bigscience task::text_generation license::bigscience-bloom-rail-1.0 test_group::llm_layer params::201379840
"""
A decoder layer of bloom-7b1, with one more token and the cache of a text.

https://huggingface.co/bigscience/bloom-7b1
"""

import torch
from transformers import BloomConfig, DynamicCache
from transformers.models.bloom.modeling_bloom import BloomBlock

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = BloomConfig(hidden_size=4096, n_layer=30, n_head=32, attn_implementation="eager")
layer = BloomBlock(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
# The further away a token is, the less it counts, and for some heads sooner than for others
slopes = 2.0 ** (-8.0 * torch.arange(1, config.n_head + 1) / config.n_head)
alibi = slopes[:, None, None] * torch.arange(max_seq_length + 1)
cache = DynamicCache()
keys = torch.randn(batch_size, 32, max_seq_length, 128)
values = torch.randn(batch_size, 32, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {
    "hidden_states": hidden_states,
    "attention_mask": None,
    "alibi": alibi.repeat(batch_size, 1, 1),
    "layer_past": cache,
}

# Call the layer
layer(**inputs)
