# labels: name::mistral_nemo_12b_layer_prefill author::mistralai task::text_generation license::apache-2.0 test_group::llm_layer params::272640000
"""
A decoder layer of Mistral-Nemo-Base-2407, with a prompt.

https://huggingface.co/mistralai/Mistral-Nemo-Base-2407
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
    hidden_size=5120,
    num_hidden_layers=40,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    head_dim=128,
    vocab_size=131072,
    rms_norm_eps=1e-05,
    sliding_window=None,
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
