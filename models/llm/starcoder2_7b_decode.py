# labels: name::starcoder2_7b_decode author::bigcode task::text_generation license::bigcode-openrail-m test_group::llm params::7173923840
"""
starcoder2-7b writes one more token, with the cache of a text.

https://huggingface.co/bigcode/starcoder2-7b
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, Starcoder2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = Starcoder2Config(
    hidden_size=4608,
    intermediate_size=18432,
    num_hidden_layers=32,
    num_attention_heads=36,
    num_key_value_heads=4,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    sliding_window=4096,
    max_position_embeddings=16384,
    bos_token_id=0,
    eos_token_id=0,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("bigcode/starcoder2-7b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 4, max_seq_length, 128, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 4, max_seq_length, 128, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
