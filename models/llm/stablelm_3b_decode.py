# labels: name::stablelm_3b_decode author::stabilityai task::text_generation license::cc-by-sa-4.0 test_group::llm params::2795443200
"""
stablelm-3b-4e1t writes one more token, with the cache of a text.

https://huggingface.co/stabilityai/stablelm-3b-4e1t
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, StableLmConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = StableLmConfig()
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "stabilityai/stablelm-3b-4e1t", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 32, max_seq_length, 80, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 32, max_seq_length, 80, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
