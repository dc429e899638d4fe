# labels: name::qwen2_5_32b_layer_prefill author::qwen task::text_generation license::apache-2.0 test_group::llm_layer params::487605248
"""
A decoder layer of Qwen2.5-32B, with a prompt.

https://huggingface.co/Qwen/Qwen2.5-32B
"""

import torch
from transformers import Qwen2Config
from transformers.models.qwen2.modeling_qwen2 import Qwen2DecoderLayer, Qwen2RotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = Qwen2Config(
    hidden_size=5120,
    intermediate_size=27648,
    num_hidden_layers=64,
    num_attention_heads=40,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    vocab_size=152064,
    max_position_embeddings=131072,
    rms_norm_eps=1e-05,
    attn_implementation="sdpa",
)
layer = Qwen2DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = Qwen2RotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
