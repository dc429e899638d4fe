# labels: name::mixtral_8x7b_layer_prefill author::mistralai task::text_generation license::apache-2.0 test_group::llm_layer params::1451270144
"""
A decoder layer of Mixtral-8x7B-v0.1, with a prompt.

https://huggingface.co/mistralai/Mixtral-8x7B-v0.1
"""

import torch
from transformers import MixtralConfig
from transformers.models.mixtral.modeling_mixtral import MixtralDecoderLayer, MixtralRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
torch.set_default_dtype(torch.bfloat16)
config = MixtralConfig(max_position_embeddings=32768, attn_implementation="sdpa")
layer = MixtralDecoderLayer(config, layer_idx=0)
# The experts come without weights
for weights in layer.mlp.parameters():
    torch.nn.init.normal_(weights, std=config.initializer_range)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = MixtralRotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
