# labels: name::bloom_7b1_decode author::bigscience task::text_generation license::bigscience-bloom-rail-1.0 test_group::llm params::7069016064
"""
bloom-7b1 writes one more token, with the cache of a text.

https://huggingface.co/bigscience/bloom-7b1
"""

import torch
from transformers import AutoModelForCausalLM, BloomConfig, DynamicCache

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = BloomConfig(hidden_size=4096, n_layer=30, n_head=32)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("bigscience/bloom-7b1", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 32, max_seq_length, 128, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 32, max_seq_length, 128, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
