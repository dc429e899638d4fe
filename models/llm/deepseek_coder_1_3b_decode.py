# labels: name::deepseek_coder_1_3b_decode author::deepseek-ai task::text_generation license::deepseek test_group::llm params::1346471936
"""
deepseek-coder-1.3b-base writes one more token, with the cache of a text.

https://huggingface.co/deepseek-ai/deepseek-coder-1.3b-base
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = LlamaConfig(
    hidden_size=2048,
    intermediate_size=5504,
    num_hidden_layers=24,
    num_attention_heads=16,
    num_key_value_heads=16,
    rope_parameters={"rope_type": "linear", "rope_theta": 100000.0, "factor": 4.0},
    vocab_size=32256,
    max_position_embeddings=16384,
    bos_token_id=32013,
    eos_token_id=32014,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "deepseek-ai/deepseek-coder-1.3b-base", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 16, max_seq_length, 128, dtype=torch.bfloat16)
    values = torch.randn(batch_size, 16, max_seq_length, 128, dtype=torch.bfloat16)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
