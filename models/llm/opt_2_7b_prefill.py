# labels: name::opt_2_7b_prefill author::facebook task::text_generation license::other test_group::llm params::2651596800
"""
opt-2.7b reads a prompt and keeps what it needs to go on.

https://huggingface.co/facebook/opt-2.7b
"""

import torch
from transformers import AutoModelForCausalLM, OPTConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = OPTConfig(
    hidden_size=2560,
    num_hidden_layers=32,
    num_attention_heads=32,
    ffn_dim=10240,
    word_embed_proj_dim=2560,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("facebook/opt-2.7b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
