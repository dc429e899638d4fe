# labels: name::opt_66b_layer_prefill author::facebook task::text_generation license::other test_group::llm_layer params::1019335680
"""
A decoder layer of opt-66b, with a prompt.

https://huggingface.co/facebook/opt-66b
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
    hidden_size=9216,
    num_hidden_layers=64,
    num_attention_heads=72,
    ffn_dim=36864,
    word_embed_proj_dim=9216,
    attn_implementation="sdpa",
)
layer = OPTDecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
inputs = {"hidden_states": hidden_states}

# Call the layer
layer(**inputs)
