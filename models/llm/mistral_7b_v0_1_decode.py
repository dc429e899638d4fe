# labels: name::mistral_7b_v0_1_decode author::mistralai task::text_generation license::apache-2.0 test_group::llm params::7241732096
"""
Mistral-7B-v0.1 writes one more token, with the cache of a text.

https://huggingface.co/mistralai/Mistral-7B-v0.1
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, MistralConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = MistralConfig(max_position_embeddings=32768, rms_norm_eps=1e-05)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1", dtype=torch.bfloat16)
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
