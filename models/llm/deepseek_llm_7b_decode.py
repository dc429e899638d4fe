# labels: name::deepseek_llm_7b_decode author::deepseek-ai task::text_generation license::deepseek test_group::llm params::6910365696
"""
deepseek-llm-7b-base writes one more token, with the cache of a text.

https://huggingface.co/deepseek-ai/deepseek-llm-7b-base
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = LlamaConfig(
    num_hidden_layers=30,
    vocab_size=102400,
    max_position_embeddings=4096,
    bos_token_id=100000,
    eos_token_id=100001,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "deepseek-ai/deepseek-llm-7b-base", dtype=torch.bfloat16
    )
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
