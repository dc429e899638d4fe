# labels: name::qwen3_8b_decode author::qwen task::text_generation license::apache-2.0 test_group::llm params::8190735360
"""
Qwen3-8B writes one more token, with the cache of a text.

https://huggingface.co/Qwen/Qwen3-8B
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, Qwen3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = Qwen3Config(
    intermediate_size=12288,
    num_hidden_layers=36,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    max_position_embeddings=40960,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 8, max_seq_length, 128, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 8, max_seq_length, 128, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
