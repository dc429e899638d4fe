# labels: name::pythia_1_4b_prefill author::eleutherai task::text_generation license::apache-2.0 test_group::llm params::1414647808
"""
pythia-1.4b reads a prompt and keeps what it needs to go on.

https://huggingface.co/EleutherAI/pythia-1.4b
"""

import torch
from transformers import AutoModelForCausalLM, GPTNeoXConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTNeoXConfig(
    hidden_size=2048,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=8192,
    vocab_size=50304,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-1.4b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
