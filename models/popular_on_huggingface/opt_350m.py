# labels: name::opt_350m author::facebook task::text_generation license::other test_group::popular_on_huggingface params::331196416
"""
opt-350m of facebook, to continue text.

https://huggingface.co/facebook/opt-350m
"""

import torch
from transformers import OPTConfig, OPTForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = OPTConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    ffn_dim=4096,
    word_embed_proj_dim=512,
    do_layer_norm_before=False,
)
if pretrained:
    model = OPTForCausalLM.from_pretrained("facebook/opt-350m", dtype=torch.float32)
else:
    model = OPTForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
