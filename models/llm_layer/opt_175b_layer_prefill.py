# labels: name::opt_175b_layer_prefill author::facebook task::text_generation license::other test_group::llm_layer params::1812099072
"""
A decoder layer of opt-175b, with a prompt.

https://huggingface.co/facebook/opt-175b
"""

import torch
from transformers import OPTConfig
from transformers.models.opt.modeling_opt import OPTDecoderLayer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
torch.set_default_dtype(torch.bfloat16)
config = OPTConfig(
    hidden_size=12288,
    num_hidden_layers=96,
    num_attention_heads=96,
    ffn_dim=49152,
    word_embed_proj_dim=12288,
    attn_implementation="sdpa",
)
layer = OPTDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
inputs = {"hidden_states": hidden_states}

# Call the layer
layer(**inputs)
