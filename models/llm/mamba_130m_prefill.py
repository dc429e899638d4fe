# labels: name::mamba_130m_prefill author::state-spaces task::text_generation license::apache-2.0 test_group::llm params::129135360
"""
mamba-130m-hf reads a prompt and keeps what it needs to go on.

https://huggingface.co/state-spaces/mamba-130m-hf
"""

import torch
from transformers import MambaConfig, MambaForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MambaConfig(num_hidden_layers=24)
if pretrained:
    model = MambaForCausalLM.from_pretrained("state-spaces/mamba-130m-hf", dtype=torch.float32)
else:
    model = MambaForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
