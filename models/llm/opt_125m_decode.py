# labels: name::opt_125m_decode author::facebook task::text_generation license::other test_group::llm params::125239296
"""
opt-125m writes one more token, with the cache of a text.

https://huggingface.co/facebook/opt-125m
"""

import torch
from transformers import DynamicCache, OPTConfig, OPTForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = OPTConfig()
if pretrained:
    model = OPTForCausalLM.from_pretrained("facebook/opt-125m", dtype=torch.float32)
else:
    model = OPTForCausalLM(config)
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
