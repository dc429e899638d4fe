# labels: name::falcon_rw_1b_decode author::tiiuae task::text_generation license::apache-2.0 test_group::llm params::1311625216
"""
falcon-rw-1b writes one more token, with the cache of a text.

https://huggingface.co/tiiuae/falcon-rw-1b
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, FalconConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = FalconConfig(
    vocab_size=50304,
    hidden_size=2048,
    num_hidden_layers=24,
    num_attention_heads=32,
    alibi=True,
    multi_query=False,
    parallel_attn=False,
    bias=True,
    bos_token_id=1,
    eos_token_id=2,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("tiiuae/falcon-rw-1b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 32, max_seq_length, 64, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 32, max_seq_length, 64, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
