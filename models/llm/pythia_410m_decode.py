# labels: name::pythia_410m_decode author::eleutherai task::text_generation license::apache-2.0 test_group::llm params::405334016
"""
pythia-410m writes one more token, with the cache of a text.

https://huggingface.co/EleutherAI/pythia-410m
"""

import torch
from transformers import DynamicCache, GPTNeoXConfig, GPTNeoXForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = GPTNeoXConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    vocab_size=50304,
)
if pretrained:
    model = GPTNeoXForCausalLM.from_pretrained("EleutherAI/pythia-410m", dtype=torch.float32)
else:
    model = GPTNeoXForCausalLM(config)
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
