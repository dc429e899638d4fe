# labels: name::gpt_neo_2_7b_prefill author::eleutherai task::text_generation license::mit test_group::llm params::2651307520
"""
gpt-neo-2.7B reads a prompt and keeps what it needs to go on.

https://huggingface.co/EleutherAI/gpt-neo-2.7B
"""

import torch
from transformers import AutoModelForCausalLM, GPTNeoConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTNeoConfig(
    hidden_size=2560,
    num_layers=32,
    num_heads=20,
    attention_types=[[["global", "local"], 16]],
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("EleutherAI/gpt-neo-2.7B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
