# labels: name::qwen2_5_72b_layer_decode author::qwen task::text_generation license::qwen test_group::llm_layer params::877684736
"""
A decoder layer of Qwen2.5-72B, with one more token and the cache of a text.

https://huggingface.co/Qwen/Qwen2.5-72B
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
    hidden_size=8192,
    intermediate_size=29568,
    num_hidden_layers=80,
    num_attention_heads=64,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    vocab_size=152064,
    max_position_embeddings=131072,
    rms_norm_eps=1e-05,
    attn_implementation="sdpa",
)
layer = Qwen2DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = Qwen2RotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 8, max_seq_length, 128)
values = torch.randn(batch_size, 8, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
