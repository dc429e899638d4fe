# labels: name::pythia_12b_layer_prefill author::eleutherai task::text_generation license::apache-2.0 test_group::llm_layer params::314639360
"""
A decoder layer of pythia-12b, with a prompt.

https://huggingface.co/EleutherAI/pythia-12b
"""

import torch
from transformers import GPTNeoXConfig
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXLayer, GPTNeoXRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = GPTNeoXConfig(
    hidden_size=5120,
    num_hidden_layers=36,
    num_attention_heads=40,
    intermediate_size=20480,
    vocab_size=50688,
    attn_implementation="sdpa",
)
layer = GPTNeoXLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = GPTNeoXRotaryEmbedding(config).forward(hidden_states, positions)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles}

# Call the layer
layer(**inputs)
