# labels: name::qwen2_5_0_5b_layer_prefill author::qwen task::text_generation license::apache-2.0 test_group::llm_layer,sample params::14912384
"""
A decoder layer of Qwen2.5-0.5B, with a prompt.

https://huggingface.co/Qwen/Qwen2.5-0.5B
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
    hidden_size=896,
    intermediate_size=4864,
    num_hidden_layers=24,
    num_attention_heads=14,
    num_key_value_heads=2,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    tie_word_embeddings=True,
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
