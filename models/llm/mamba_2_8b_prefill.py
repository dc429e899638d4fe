# labels: name::mamba_2_8b_prefill author::state-spaces task::text_generation license::apache-2.0 test_group::llm params::2768345600
"""
mamba-2.8b-hf reads a prompt and keeps what it needs to go on.

https://huggingface.co/state-spaces/mamba-2.8b-hf
"""

import torch
from transformers import AutoModelForCausalLM, MambaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MambaConfig(hidden_size=2560, num_hidden_layers=64)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("state-spaces/mamba-2.8b-hf", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
