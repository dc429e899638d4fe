# labels: name::llama_3_2_3b_decode author::meta-llama task::text_generation license::llama3.2 test_group::llm params::3212749824
"""
Llama-3.2-3B writes one more token, with the cache of a text.

https://huggingface.co/meta-llama/Llama-3.2-3B
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = LlamaConfig(
    hidden_size=3072,
    intermediate_size=8192,
    num_hidden_layers=28,
    num_attention_heads=24,
    num_key_value_heads=8,
    rope_parameters={
        "rope_type": "llama3",
        "rope_theta": 500000.0,
        "factor": 32.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
    vocab_size=128256,
    max_position_embeddings=131072,
    rms_norm_eps=1e-05,
    tie_word_embeddings=True,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-3B", dtype=torch.bfloat16)
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
