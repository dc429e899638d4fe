# labels: name::pythia_12b_layer_decode author::eleutherai task::text_generation license::apache-2.0 test_group::llm_layer params::314639360
"""
A decoder layer of pythia-12b, with one more token and the cache of a text.

https://huggingface.co/EleutherAI/pythia-12b
"""

import torch
from transformers import DynamicCache, GPTNeoXConfig
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXLayer, GPTNeoXRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = GPTNeoXConfig(
    hidden_size=5120,
    num_hidden_layers=36,
    num_attention_heads=40,
    intermediate_size=20480,
    vocab_size=50688,
    attn_implementation="sdpa",
)
layer = GPTNeoXLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = GPTNeoXRotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 40, max_seq_length, 128)
values = torch.randn(batch_size, 40, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "layer_past": cache}

# Call the layer
layer(**inputs)
