# labels: name::codegen_2b_decode author::salesforce task::text_generation license::bsd-3-clause test_group::llm params::2779356160
"""
codegen-2B-mono writes one more token, with the cache of a text.

https://huggingface.co/Salesforce/codegen-2B-mono
"""

import torch
from transformers import AutoModelForCausalLM, CodeGenConfig, DynamicCache

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = CodeGenConfig(n_embd=2560, n_layer=32, n_head=32, vocab_size=51200)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("Salesforce/codegen-2B-mono", dtype=torch.bfloat16)
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
