# labels: name::gemma_2b_prefill author::google task::text_generation license::gemma test_group::llm params::2506172416
"""
gemma-2b reads a prompt and keeps what it needs to go on.

https://huggingface.co/google/gemma-2b
"""

import torch
from transformers import AutoModelForCausalLM, GemmaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GemmaConfig(
    hidden_size=2048,
    intermediate_size=16384,
    num_hidden_layers=18,
    num_attention_heads=8,
    num_key_value_heads=1,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("google/gemma-2b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
