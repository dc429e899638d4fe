# labels: name::phi_2_decode author::microsoft task::text_generation license::mit test_group::llm params::2779683840
"""
phi-2 writes one more token, with the cache of a text.

https://huggingface.co/microsoft/phi-2
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, PhiConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = PhiConfig(
    hidden_size=2560,
    num_hidden_layers=32,
    intermediate_size=10240,
    rope_parameters={"rope_theta": 10000.0, "partial_rotary_factor": 0.4, "rope_type": "default"},
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("microsoft/phi-2", dtype=torch.bfloat16)
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
