# labels: name::gpt2_xl_decode author::openai-community task::text_generation license::mit test_group::llm params::1557611200
"""
gpt2-xl writes one more token, with the cache of a text.

https://huggingface.co/openai-community/gpt2-xl
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, GPT2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = GPT2Config(n_embd=1600, n_layer=48, n_head=25)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("openai-community/gpt2-xl", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 25, max_seq_length, 64, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 25, max_seq_length, 64, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
