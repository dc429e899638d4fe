# labels: name::gemma_7b_prefill author::google task::text_generation license::gemma test_group::llm params::8537680896
"""
gemma-7b reads a prompt and keeps what it needs to go on.

https://huggingface.co/google/gemma-7b
"""

import torch
from transformers import AutoModelForCausalLM, GemmaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GemmaConfig()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("google/gemma-7b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
