# labels: name::qwen3_4b_layer_decode author::qwen task::text_generation license::apache-2.0 test_group::llm_layer params::100930816
"""
A decoder layer of Qwen3-4B, with one more token and the cache of a text.

https://huggingface.co/Qwen/Qwen3-4B
"""

import torch
from transformers import DynamicCache, Qwen3Config
from transformers.models.qwen3.modeling_qwen3 import Qwen3DecoderLayer, Qwen3RotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = Qwen3Config(
    hidden_size=2560,
    intermediate_size=9728,
    num_hidden_layers=36,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    max_position_embeddings=40960,
    tie_word_embeddings=True,
    attn_implementation="sdpa",
)
layer = Qwen3DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = Qwen3RotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 8, max_seq_length, 128)
values = torch.randn(batch_size, 8, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
