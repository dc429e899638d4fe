# labels: name::llama_2_13b_layer_decode author::meta-llama task::text_generation license::llama2 test_group::llm_layer params::317204480
"""
A decoder layer of Llama-2-13b-hf, with one more token and the cache of a text.

https://huggingface.co/meta-llama/Llama-2-13b-hf
"""

import torch
from transformers import DynamicCache, LlamaConfig
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = LlamaConfig(
    hidden_size=5120,
    intermediate_size=13824,
    num_hidden_layers=40,
    num_attention_heads=40,
    num_key_value_heads=40,
    max_position_embeddings=4096,
    rms_norm_eps=1e-05,
    attn_implementation="sdpa",
)
layer = LlamaDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = LlamaRotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 40, max_seq_length, 128)
values = torch.randn(batch_size, 40, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
