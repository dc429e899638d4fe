# labels: name::gpt_neox_20b_layer_prefill author::eleutherai task::text_generation license::apache-2.0 test_group::llm_layer params::453064704
"""
A decoder layer of gpt-neox-20b, with a prompt.

https://huggingface.co/EleutherAI/gpt-neox-20b
"""

import torch
from transformers import GPTNeoXConfig
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXLayer, GPTNeoXRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = GPTNeoXConfig(hidden_act="gelu_fast", attn_implementation="sdpa")
layer = GPTNeoXLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = GPTNeoXRotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
