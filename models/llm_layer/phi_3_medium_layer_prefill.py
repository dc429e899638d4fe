# labels: name::phi_3_medium_layer_prefill author::microsoft task::text_generation license::mit test_group::llm_layer params::340797440
"""
A decoder layer of Phi-3-medium-4k-instruct, with a prompt.

https://huggingface.co/microsoft/Phi-3-medium-4k-instruct
"""

import torch
from transformers import Phi3Config
from transformers.models.phi3.modeling_phi3 import Phi3DecoderLayer, Phi3RotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = Phi3Config(
    hidden_size=5120,
    intermediate_size=17920,
    num_hidden_layers=40,
    num_attention_heads=40,
    num_key_value_heads=10,
    sliding_window=2047,
    attn_implementation="sdpa",
)
layer = Phi3DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = Phi3RotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
