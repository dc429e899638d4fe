# labels: name::tinystories_33m author::roneneldan task::text_generation license::mit test_group::popular_on_huggingface params::68514048
"""
TinyStories-33M of roneneldan, to continue text.

https://huggingface.co/roneneldan/TinyStories-33M
"""

import torch
from transformers import GPTNeoConfig, GPTNeoForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTNeoConfig(hidden_size=768, num_layers=4, attention_types=[[["global", "local"], 2]])
if pretrained:
    model = GPTNeoForCausalLM.from_pretrained("roneneldan/TinyStories-33M", dtype=torch.float32)
else:
    model = GPTNeoForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
