# labels: name::olmo_7b_prefill author::allenai task::text_generation license::apache-2.0 test_group::llm params::6888095744
"""
OLMo-7B-hf reads a prompt and keeps what it needs to go on.

https://huggingface.co/allenai/OLMo-7B-hf
"""

import torch
from transformers import AutoModelForCausalLM, OlmoConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = OlmoConfig()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("allenai/OLMo-7B-hf", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
