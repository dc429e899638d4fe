# labels: name::gpt_neo_1_3b_prefill author::eleutherai task::text_generation license::mit test_group::llm params::1315575808
"""
gpt-neo-1.3B reads a prompt and keeps what it needs to go on.

https://huggingface.co/EleutherAI/gpt-neo-1.3B
"""

import torch
from transformers import AutoModelForCausalLM, GPTNeoConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTNeoConfig()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("EleutherAI/gpt-neo-1.3B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
