# labels: name::codellama_7b_decode author::codellama task::text_generation license::llama2 test_group::llm params::6738546688
"""
CodeLlama-7b-hf writes one more token, with the cache of a text.

https://huggingface.co/codellama/CodeLlama-7b-hf
"""

import torch
from transformers import AutoModelForCausalLM, DynamicCache, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = LlamaConfig(
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    vocab_size=32016,
    max_position_embeddings=16384,
    rms_norm_eps=1e-05,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("codellama/CodeLlama-7b-hf", dtype=torch.bfloat16)
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
