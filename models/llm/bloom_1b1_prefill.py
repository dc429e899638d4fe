# labels: name::bloom_1b1_prefill author::bigscience task::text_generation license::bigscience-bloom-rail-1.0 test_group::llm params::1065314304
"""
bloom-1b1 reads a prompt and keeps what it needs to go on.

https://huggingface.co/bigscience/bloom-1b1
"""

import torch
from transformers import AutoModelForCausalLM, BloomConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BloomConfig(hidden_size=1536, n_layer=24, n_head=16)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("bigscience/bloom-1b1", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
