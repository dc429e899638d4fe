# labels: name::opt_6_7b_decode author::facebook task::text_generation license::other test_group::llm params::6658473984
"""
opt-6.7b writes one more token, with the cache of a text.

https://huggingface.co/facebook/opt-6.7b
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, OPTConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = OPTConfig(
    hidden_size=4096,
    num_hidden_layers=32,
    num_attention_heads=32,
    ffn_dim=16384,
    word_embed_proj_dim=4096,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("facebook/opt-6.7b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 32, max_seq_length, 128, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 32, max_seq_length, 128, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
