# labels: name::stablelm_3b_prefill author::stabilityai task::text_generation license::cc-by-sa-4.0 test_group::llm params::2795443200
"""
stablelm-3b-4e1t reads a prompt and keeps what it needs to go on.

https://huggingface.co/stabilityai/stablelm-3b-4e1t
"""

import torch
from transformers import AutoModelForCausalLM, StableLmConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = StableLmConfig()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "stabilityai/stablelm-3b-4e1t", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
