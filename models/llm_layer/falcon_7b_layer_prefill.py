# labels: name::falcon_7b_layer_prefill author::tiiuae task::text_generation license::apache-2.0 test_group::llm_layer params::207070080
"""
A decoder layer of falcon-7b, with a prompt.

https://huggingface.co/tiiuae/falcon-7b
"""

import torch
from transformers import FalconConfig
from transformers.models.falcon.modeling_falcon import FalconDecoderLayer, FalconRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = FalconConfig(attn_implementation="sdpa")
layer = FalconDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = FalconRotaryEmbedding(config).forward(hidden_states, positions)
inputs = {
    "hidden_states": hidden_states,
    "alibi": None,
    "attention_mask": None,
    "position_embeddings": angles,
}

# Call the layer
layer(**inputs)
