# labels: name::mpt_7b_decode author::mosaicml task::text_generation license::apache-2.0 test_group::llm params::6649286656
"""
mpt-7b writes one more token, with the cache of a text.

https://huggingface.co/mosaicml/mpt-7b
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, MptConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = MptConfig(d_model=4096, n_heads=32, n_layers=32, vocab_size=50432)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("mosaicml/mpt-7b", dtype=torch.bfloat16)
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
