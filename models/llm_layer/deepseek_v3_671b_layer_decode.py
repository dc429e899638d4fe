# labels: name::deepseek_v3_671b_layer_decode author::deepseek-ai task::text_generation license::deepseek test_group::llm_layer params::583483392
"""
A decoder layer of DeepSeek-V3, with one more token and the cache of a text.

https://huggingface.co/deepseek-ai/DeepSeek-V3
"""

import torch
from transformers import DeepseekV3Config, DynamicCache
from transformers.models.deepseek_v3.modeling_deepseek_v3 import (
    DeepseekV3DecoderLayer,
    DeepseekV3RotaryEmbedding,
)

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = DeepseekV3Config(attn_implementation="sdpa")
layer = DeepseekV3DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = DeepseekV3RotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 1, max_seq_length, 512)
values = torch.randn(batch_size, 1, max_seq_length, 64)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
