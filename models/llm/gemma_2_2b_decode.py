# labels: name::gemma_2_2b_decode author::google task::text_generation license::gemma test_group::llm params::2614341888
"""
gemma-2-2b writes one more token, with the cache of a text.

https://huggingface.co/google/gemma-2-2b
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, Gemma2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = Gemma2Config()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("google/gemma-2-2b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 4, max_seq_length, 256, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 4, max_seq_length, 256, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
