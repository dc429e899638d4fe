# labels: name::gpt_neox_20b_layer_decode author::eleutherai task::text_generation license::apache-2.0 test_group::llm_layer params::453064704
"""
A decoder layer of gpt-neox-20b, with one more token and the cache of a text.

https://huggingface.co/EleutherAI/gpt-neox-20b
"""

import torch
from transformers import DynamicCache, GPTNeoXConfig
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXLayer, GPTNeoXRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = GPTNeoXConfig(hidden_act="gelu_fast", attn_implementation="sdpa")
layer = GPTNeoXLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = GPTNeoXRotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 64, max_seq_length, 96)
values = torch.randn(batch_size, 64, max_seq_length, 96)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "layer_past": cache}

# Call the layer
layer(**inputs)
