# labels: name::distilgpt2_decode author::distilbert task::text_generation license::apache-2.0 test_group::llm params::81912576
"""
distilgpt2 writes one more token, with the cache of a text.

https://huggingface.co/distilbert/distilgpt2
"""

import torch
from transformers import DynamicCache, GPT2Config, GPT2LMHeadModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = GPT2Config(n_layer=6)
if pretrained:
    model = GPT2LMHeadModel.from_pretrained("distilbert/distilgpt2", dtype=torch.float32)
else:
    model = GPT2LMHeadModel(config)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 12, max_seq_length, 64)
    values = torch.randn(batch_size, 12, max_seq_length, 64)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
