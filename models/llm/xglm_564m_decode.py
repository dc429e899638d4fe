# labels: name::xglm_564m_decode author::facebook task::text_generation license::mit test_group::llm params::564463616
"""
xglm-564M writes one more token, with the cache of a text.

https://huggingface.co/facebook/xglm-564M
"""

import torch
from transformers import DynamicCache, XGLMConfig, XGLMForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs: a token, and the keys and values of all tokens before it
config = XGLMConfig()
if pretrained:
    model = XGLMForCausalLM.from_pretrained("facebook/xglm-564M", dtype=torch.float32)
else:
    model = XGLMForCausalLM(config)
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, 16, max_seq_length, 64)
    values = torch.randn(batch_size, 16, max_seq_length, 64)
    cache.update(keys, values, layer)
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}

# Call the model
model(**inputs, use_cache=True)
