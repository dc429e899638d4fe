# labels: name::stablelm_2_1_6b_decode author::stabilityai task::text_generation license::other test_group::llm params::1644515328
"""
stablelm-2-1_6b writes one more token, with the cache of a text.

https://huggingface.co/stabilityai/stablelm-2-1_6b
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, StableLmConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = StableLmConfig(
    vocab_size=100352,
    hidden_size=2048,
    intermediate_size=5632,
    num_hidden_layers=24,
    use_qkv_bias=True,
    bos_token_id=100257,
    eos_token_id=100257,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "stabilityai/stablelm-2-1_6b", dtype=torch.bfloat16
    )
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
