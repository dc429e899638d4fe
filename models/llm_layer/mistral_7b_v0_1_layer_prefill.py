# labels: name::mistral_7b_v0_1_layer_prefill author::mistralai task::text_generation license::apache-2.0 test_group::llm_layer params::218112000
"""
A decoder layer of Mistral-7B-v0.1, with a prompt.

https://huggingface.co/mistralai/Mistral-7B-v0.1
"""

import torch
from transformers import MistralConfig
from transformers.models.mistral.modeling_mistral import MistralDecoderLayer, MistralRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = MistralConfig(
    max_position_embeddings=32768,
    rms_norm_eps=1e-05,
    attn_implementation="sdpa",
)
layer = MistralDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = MistralRotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
