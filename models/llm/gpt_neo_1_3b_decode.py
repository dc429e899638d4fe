# labels: name::gpt_neo_1_3b_decode author::eleutherai task::text_generation license::mit test_group::llm params::1315575808
"""
gpt-neo-1.3B writes one more token, with the cache of a text.

https://huggingface.co/EleutherAI/gpt-neo-1.3B
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, GPTNeoConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = GPTNeoConfig()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("EleutherAI/gpt-neo-1.3B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 16, max_seq_length, 128, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 16, max_seq_length, 128, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
