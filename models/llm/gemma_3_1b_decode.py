# labels: name::gemma_3_1b_decode author::google task::text_generation license::gemma test_group::llm params::999885952
"""
gemma-3-1b-pt writes one more token, with the cache of a text.

https://huggingface.co/google/gemma-3-1b-pt
"""

import torch
from transformers import DynamicCache, Gemma3ForCausalLM, Gemma3TextConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = Gemma3TextConfig(
    hidden_size=1152,
    intermediate_size=6912,
    num_attention_heads=4,
    num_key_value_heads=1,
    vocab_size=262144,
    max_position_embeddings=32768,
    sliding_window=512,
)
if pretrained:
    model = Gemma3ForCausalLM.from_pretrained("google/gemma-3-1b-pt", dtype=torch.float32)
else:
    model = Gemma3ForCausalLM(config)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 1, max_seq_length, 256)
    values = torch.randn(batch_size, 1, max_seq_length, 256)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
