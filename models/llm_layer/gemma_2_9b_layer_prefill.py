# labels: name::gemma_2_9b_layer_prefill author::google task::text_generation license::gemma test_group::llm_layer params::198195200
"""
A decoder layer of gemma-2-9b, with a prompt.

https://huggingface.co/google/gemma-2-9b
"""

import torch
from transformers import Gemma2Config
from transformers.models.gemma2.modeling_gemma2 import Gemma2DecoderLayer, Gemma2RotaryEmbedding

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = Gemma2Config(
    hidden_size=3584,
    intermediate_size=14336,
    num_hidden_layers=42,
    num_attention_heads=16,
    num_key_value_heads=8,
    attn_implementation="eager",
)
layer = Gemma2DecoderLayer(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# By forward() itself, because it is the layer alone that is to be measured
angles = Gemma2RotaryEmbedding(config).forward(hidden_states, positions)
# Each token sees itself and those before it
mask = torch.full((max_seq_length, max_seq_length), -torch.inf).triu(diagonal=1)
inputs = {
    "hidden_states": hidden_states,
    "position_embeddings": angles,
    "attention_mask": mask.expand(batch_size, 1, -1, -1),
}

# Call the layer
layer(**inputs)
