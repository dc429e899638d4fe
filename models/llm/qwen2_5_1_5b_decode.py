# labels: name::qwen2_5_1_5b_decode author::qwen task::text_generation license::apache-2.0 test_group::llm params::1543714304
"""
Qwen2.5-1.5B writes one more token, with the cache of a text.

https://huggingface.co/Qwen/Qwen2.5-1.5B
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, Qwen2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = Qwen2Config(
    hidden_size=1536,
    intermediate_size=8960,
    num_hidden_layers=28,
    num_attention_heads=12,
    num_key_value_heads=2,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    max_position_embeddings=131072,
    tie_word_embeddings=True,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 2, max_seq_length, 128, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 2, max_seq_length, 128, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
