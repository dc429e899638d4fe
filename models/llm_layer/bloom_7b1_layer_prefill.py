# labels: name::bloom_7b1_layer_prefill author::bigscience task::text_generation license::bigscience-bloom-rail-1.0 test_group::llm_layer params::201379840
"""
A decoder layer of bloom-7b1, with a prompt.

https://huggingface.co/bigscience/bloom-7b1
"""

import torch
from transformers import BloomConfig
from transformers.models.bloom.modeling_bloom import BloomBlock

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = BloomConfig(hidden_size=4096, n_layer=30, n_head=32, attn_implementation="eager")
layer = BloomBlock(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
# The further away a token is, the less it counts, and for some heads sooner than for others
slopes = 2.0 ** (-8.0 * torch.arange(1, config.n_head + 1) / config.n_head)
alibi = slopes[:, None, None] * torch.arange(max_seq_length)
# Each token sees itself and those before it
mask = torch.full((max_seq_length, max_seq_length), -torch.inf).triu(diagonal=1)
inputs = {
    "hidden_states": hidden_states,
    "attention_mask": mask.expand(batch_size, 1, -1, -1),
    "alibi": alibi.repeat(batch_size, 1, 1),
}

# Call the layer
layer(**inputs)
