# labels: name::deepseek_v3_671b_layer_prefill author::deepseek-ai task::text_generation license::deepseek test_group::llm_layer params::583483392
"""
A decoder layer of DeepSeek-V3, with a prompt.

https://huggingface.co/deepseek-ai/DeepSeek-V3
"""

import torch
from transformers import DeepseekV3Config
from transformers.models.deepseek_v3.modeling_deepseek_v3 import (
    DeepseekV3DecoderLayer,
    DeepseekV3RotaryEmbedding,
)

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = DeepseekV3Config(attn_implementation="sdpa")
layer = DeepseekV3DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = DeepseekV3RotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
