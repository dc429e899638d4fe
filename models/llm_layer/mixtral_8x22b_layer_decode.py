# labels: name::mixtral_8x22b_layer_decode author::mistralai task::text_generation license::apache-2.0 test_group::llm_layer params::2504060928
"""
A decoder layer of Mixtral-8x22B-v0.1, with one more token and the cache of a text.

https://huggingface.co/mistralai/Mixtral-8x22B-v0.1
"""

import torch
from transformers import DynamicCache, MixtralConfig
from transformers.models.mixtral.modeling_mixtral import MixtralDecoderLayer, MixtralRotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
torch.set_default_dtype(torch.bfloat16)
config = MixtralConfig(
    hidden_size=6144,
    intermediate_size=16384,
    num_hidden_layers=56,
    num_attention_heads=48,
    max_position_embeddings=65536,
    attn_implementation="sdpa",
)
layer = MixtralDecoderLayer(config, layer_idx=0)
# The experts come without weights
for weights in layer.mlp.parameters():
    torch.nn.init.normal_(weights, std=config.initializer_range)
layer.eval()
hidden_states = torch.randn(batch_size, 1, config.hidden_size)
positions = torch.tensor([[max_seq_length]])
# By forward() itself, because it is the layer alone that is to be measured
angles = MixtralRotaryEmbedding(config).forward(hidden_states, positions)
cache = DynamicCache()
keys = torch.randn(batch_size, 8, max_seq_length, 128)
values = torch.randn(batch_size, 8, max_seq_length, 128)
cache.update(keys, values, 0)
inputs = {"hidden_states": hidden_states, "position_embeddings": angles, "past_key_values": cache}

# Call the layer
layer(**inputs)
