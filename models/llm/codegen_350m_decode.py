# labels: name::codegen_350m_decode author::salesforce task::text_generation license::bsd-3-clause test_group::llm params::356712448
"""
codegen-350M-mono writes one more token, with the cache of a text.

https://huggingface.co/Salesforce/codegen-350M-mono
"""

import torch
from transformers import CodeGenConfig, CodeGenForCausalLM, DynamicCache

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = CodeGenConfig(n_embd=1024, n_layer=20, rotary_dim=32, vocab_size=51200)
if pretrained:
    model = CodeGenForCausalLM.from_pretrained("Salesforce/codegen-350M-mono", dtype=torch.float32)
else:
    model = CodeGenForCausalLM(config)
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
