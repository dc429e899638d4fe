# labels: name::cerebras_gpt_1_3b_prefill author::cerebras task::text_generation license::apache-2.0 test_group::llm params::1315723264
"""
Cerebras-GPT-1.3B reads a prompt and keeps what it needs to go on.

https://huggingface.co/cerebras/Cerebras-GPT-1.3B
"""

import torch
from transformers import AutoModelForCausalLM, GPT2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPT2Config(
    n_embd=2048,
    n_layer=24,
    n_head=16,
    n_positions=2048,
    n_inner=8192,
    activation_function="gelu",
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("cerebras/Cerebras-GPT-1.3B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
