# labels: name::smollm_135m_decode author::huggingfacetb task::text_generation license::apache-2.0 test_group::llm params::134515008
"""
SmolLM-135M writes one more token, with the cache of a text.

https://huggingface.co/HuggingFaceTB/SmolLM-135M
"""

import torch
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = LlamaConfig(
    hidden_size=576,
    intermediate_size=1536,
    num_hidden_layers=30,
    num_attention_heads=9,
    num_key_value_heads=3,
    vocab_size=49152,
    rms_norm_eps=1e-05,
    tie_word_embeddings=True,
)
if pretrained:
    model = LlamaForCausalLM.from_pretrained("HuggingFaceTB/SmolLM-135M", dtype=torch.float32)
else:
    model = LlamaForCausalLM(config)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 3, max_seq_length, 64)
    values = torch.randn(batch_size, 3, max_seq_length, 64)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
