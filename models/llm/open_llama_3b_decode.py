# labels: name::open_llama_3b_decode author::openlm-research task::text_generation license::apache-2.0 test_group::llm params::3426473600
"""
open_llama_3b writes one more token, with the cache of a text.

https://huggingface.co/openlm-research/open_llama_3b
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = LlamaConfig(hidden_size=3200, intermediate_size=8640, num_hidden_layers=26)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "openlm-research/open_llama_3b", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 32, max_seq_length, 100, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 32, max_seq_length, 100, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
