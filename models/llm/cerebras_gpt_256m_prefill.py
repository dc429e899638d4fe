# labels: name::cerebras_gpt_256m_prefill author::cerebras task::text_generation license::apache-2.0 test_group::llm params::255977024
"""
Cerebras-GPT-256M reads a prompt and keeps what it needs to go on.

https://huggingface.co/cerebras/Cerebras-GPT-256M
"""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPT2Config(
    n_embd=1088,
    n_layer=14,
    n_head=17,
    n_positions=2048,
    n_inner=4352,
    activation_function="gelu",
)
if pretrained:
    model = GPT2LMHeadModel.from_pretrained("cerebras/Cerebras-GPT-256M", dtype=torch.float32)
else:
    model = GPT2LMHeadModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
