# labels: name::gpt_j_6b_layer_decode author::eleutherai task::text_generation license::apache-2.0 test_group::llm_layer params::201355264
"""
A decoder layer of gpt-j-6b, with one more token and the cache of a text.

https://huggingface.co/EleutherAI/gpt-j-6b
"""

import torch
from transformers import DynamicCache, GPTJConfig
from transformers.models.gptj.modeling_gptj import GPTJBlock

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = GPTJConfig(attn_implementation="eager")
layer = GPTJBlock(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
cache = DynamicCache()
keys = torch.randn(batch_size, 16, max_seq_length, 256)
values = torch.randn(batch_size, 16, max_seq_length, 256)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_ids": positions, "layer_past": cache}

# Call the layer
layer(**inputs)
