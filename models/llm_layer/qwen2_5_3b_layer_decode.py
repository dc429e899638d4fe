# labels: name::qwen2_5_3b_layer_decode author::qwen task::text_generation license::qwen-research test_group::llm_layer params::77076992
"""
A decoder layer of Qwen2.5-3B, with one more token and the cache of a text.

https://huggingface.co/Qwen/Qwen2.5-3B
"""

import torch
from transformers import DynamicCache, Qwen2Config
from transformers.models.qwen2.modeling_qwen2 import Qwen2DecoderLayer, Qwen2RotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = Qwen2Config(
    hidden_size=2048,
    intermediate_size=11008,
    num_hidden_layers=36,
    num_attention_heads=16,
    num_key_value_heads=2,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    tie_word_embeddings=True,
    attn_implementation="sdpa",
)
layer = Qwen2DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = Qwen2RotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 2, max_seq_length, 128)
values = torch.randn(batch_size, 2, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
