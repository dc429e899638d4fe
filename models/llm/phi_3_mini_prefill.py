# labels: name::phi_3_mini_prefill author::microsoft task::text_generation license::mit test_group::llm params::3821079552
"""
Phi-3-mini-4k-instruct reads a prompt and keeps what it needs to go on.

https://huggingface.co/microsoft/Phi-3-mini-4k-instruct
"""

import torch
from transformers import AutoModelForCausalLM, Phi3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Phi3Config(sliding_window=2047)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "microsoft/Phi-3-mini-4k-instruct", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
