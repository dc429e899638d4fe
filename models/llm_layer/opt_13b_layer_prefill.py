# labels: name::opt_13b_layer_prefill author::facebook task::text_generation license::other test_group::llm_layer params::314639360
"""
A decoder layer of opt-13b, with a prompt.

https://huggingface.co/facebook/opt-13b
"""

import torch
from transformers import OPTConfig
from transformers.models.opt.modeling_opt import OPTDecoderLayer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = OPTConfig(
    hidden_size=5120,
    num_hidden_layers=40,
    num_attention_heads=40,
    ffn_dim=20480,
    word_embed_proj_dim=5120,
    attn_implementation="sdpa",
)
layer = OPTDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
inputs = {"hidden_states": hidden_states}

# Call the layer
layer(**inputs)
