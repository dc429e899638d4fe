# labels: name::opt_1_3b_prefill author::facebook task::text_generation license::other test_group::llm params::1315758080
"""
opt-1.3b reads a prompt and keeps what it needs to go on.

https://huggingface.co/facebook/opt-1.3b
"""

import torch
from transformers import AutoModelForCausalLM, OPTConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = OPTConfig(
    hidden_size=2048,
    num_hidden_layers=24,
    num_attention_heads=32,
    ffn_dim=8192,
    word_embed_proj_dim=2048,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("facebook/opt-1.3b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
