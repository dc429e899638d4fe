# labels: name::gemma_2_27b_layer_decode author::google task::text_generation license::gemma test_group::llm_layer params::566249472
"""
A decoder layer of gemma-2-27b, with one more token and the cache of a text.

https://huggingface.co/google/gemma-2-27b
"""

import torch
from transformers import DynamicCache, Gemma2Config
from transformers.models.gemma2.modeling_gemma2 import Gemma2DecoderLayer, Gemma2RotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = Gemma2Config(
    hidden_size=4608,
    intermediate_size=36864,
    num_hidden_layers=46,
    num_attention_heads=32,
    num_key_value_heads=16,
    head_dim=128,
    query_pre_attn_scalar=144,
    attn_implementation="eager",
)
layer = Gemma2DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = Gemma2RotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 16, max_seq_length, 128)
values = torch.randn(batch_size, 16, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
