# labels: name::phi_1_5_prefill author::microsoft task::text_generation license::mit test_group::llm params::1418270720
"""
phi-1_5 reads a prompt and keeps what it needs to go on.

https://huggingface.co/microsoft/phi-1_5
"""

import torch
from transformers import AutoModelForCausalLM, PhiConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = PhiConfig()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("microsoft/phi-1_5", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
