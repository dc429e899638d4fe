# labels: name::qwen3_8b_layer_prefill author::qwen task::text_generation license::apache-2.0 test_group::llm_layer params::192946432
"""
A decoder layer of Qwen3-8B, with a prompt.

https://huggingface.co/Qwen/Qwen3-8B
"""

import torch
from transformers import Qwen3Config
from transformers.models.qwen3.modeling_qwen3 import Qwen3DecoderLayer, Qwen3RotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = Qwen3Config(
    intermediate_size=12288,
    num_hidden_layers=36,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    max_position_embeddings=40960,
    attn_implementation="sdpa",
)
layer = Qwen3DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = Qwen3RotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
