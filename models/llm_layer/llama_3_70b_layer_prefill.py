# labels: name::llama_3_70b_layer_prefill author::meta-llama task::text_generation license::llama3 test_group::llm_layer params::855654400
"""
A decoder layer of Meta-Llama-3-70B, with a prompt.

https://huggingface.co/meta-llama/Meta-Llama-3-70B
"""

import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = LlamaConfig(
    hidden_size=8192,
    intermediate_size=28672,
    num_hidden_layers=80,
    num_attention_heads=64,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 500000.0, "rope_type": "default"},
    vocab_size=128256,
    max_position_embeddings=8192,
    rms_norm_eps=1e-05,
    attn_implementation="sdpa",
)
layer = LlamaDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = LlamaRotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
