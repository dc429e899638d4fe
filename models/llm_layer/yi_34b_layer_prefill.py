# labels: name::yi_34b_layer_prefill author::01-ai task::text_generation license::apache-2.0 test_group::llm_layer params::557856768
"""
A decoder layer of Yi-34B, with a prompt.

https://huggingface.co/01-ai/Yi-34B
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
    hidden_size=7168,
    intermediate_size=20480,
    num_hidden_layers=60,
    num_attention_heads=56,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 5000000.0, "rope_type": "default"},
    vocab_size=64000,
    max_position_embeddings=4096,
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
