# labels: name::gpt2_xl_prefill author::openai-community task::text_generation license::mit test_group::llm params::1557611200
"""
gpt2-xl reads a prompt and keeps what it needs to go on.

https://huggingface.co/openai-community/gpt2-xl
"""

import torch
from transformers import AutoModelForCausalLM, GPT2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPT2Config(n_embd=1600, n_layer=48, n_head=25)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("openai-community/gpt2-xl", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
