# labels: name::gpt_j_6b_prefill author::eleutherai task::text_generation license::apache-2.0 test_group::llm params::6050882784
"""
gpt-j-6b reads a prompt and keeps what it needs to go on.

https://huggingface.co/EleutherAI/gpt-j-6b
"""

import torch
from transformers import AutoModelForCausalLM, GPTJConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTJConfig()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("EleutherAI/gpt-j-6b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
