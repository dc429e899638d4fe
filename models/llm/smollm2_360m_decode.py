# labels: name::smollm2_360m_decode author::huggingfacetb task::text_generation license::apache-2.0 test_group::llm params::361821120
"""
SmolLM2-360M writes one more token, with the cache of a text.

https://huggingface.co/HuggingFaceTB/SmolLM2-360M
"""

import torch
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = LlamaConfig(
    hidden_size=960,
    intermediate_size=2560,
    num_attention_heads=15,
    num_key_value_heads=5,
    rope_parameters={"rope_theta": 100000.0, "rope_type": "default"},
    vocab_size=49152,
    max_position_embeddings=8192,
    rms_norm_eps=1e-05,
    tie_word_embeddings=True,
)
if pretrained:
    model = LlamaForCausalLM.from_pretrained("HuggingFaceTB/SmolLM2-360M", dtype=torch.float32)
else:
    model = LlamaForCausalLM(config)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 5, max_seq_length, 64)
    values = torch.randn(batch_size, 5, max_seq_length, 64)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
