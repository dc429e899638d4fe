# labels: name::bloom_560m_decode author::bigscience task::text_generation license::bigscience-bloom-rail-1.0 test_group::llm params::559214592
"""
bloom-560m writes one more token, with the cache of a text.

https://huggingface.co/bigscience/bloom-560m
"""

import torch
from transformers import BloomConfig, BloomForCausalLM, DynamicCache

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = BloomConfig(hidden_size=1024, n_layer=24, n_head=16)
if pretrained:
    model = BloomForCausalLM.from_pretrained("bigscience/bloom-560m", dtype=torch.float32)
else:
    model = BloomForCausalLM(config)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 16, max_seq_length, 64)
    values = torch.randn(batch_size, 16, max_seq_length, 64)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
