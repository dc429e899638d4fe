# labels: name::gpt_neo_125m author::eleutherai task::text_generation license::mit test_group::popular_on_huggingface params::125198592
"""
gpt-neo-125m of EleutherAI, to continue text.

https://huggingface.co/EleutherAI/gpt-neo-125m
"""

import torch
from transformers import GPTNeoConfig, GPTNeoForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTNeoConfig(
    hidden_size=768,
    num_layers=12,
    num_heads=12,
    attention_types=[[["global", "local"], 6]],
)
if pretrained:
    model = GPTNeoForCausalLM.from_pretrained("EleutherAI/gpt-neo-125m", dtype=torch.float32)
else:
    model = GPTNeoForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
