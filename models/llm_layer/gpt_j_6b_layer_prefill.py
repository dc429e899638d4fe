# labels: name::gpt_j_6b_layer_prefill author::eleutherai task::text_generation license::apache-2.0 test_group::llm_layer params::201355264
"""
A decoder layer of gpt-j-6b, with a prompt.

https://huggingface.co/EleutherAI/gpt-j-6b
"""

import torch
from transformers import GPTJConfig
from transformers.models.gptj.modeling_gptj import GPTJBlock

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The layer and its inputs
config = GPTJConfig(attn_implementation="eager")
layer = GPTJBlock(config, layer_idx=0)
layer.eval()
hidden_states = torch.randn(batch_size, max_seq_length, config.hidden_size)
positions = torch.arange(max_seq_length).unsqueeze(0)
# Each token sees itself and those before it
mask = torch.full((max_seq_length, max_seq_length), -torch.inf).triu(diagonal=1)
inputs = {
    "hidden_states": hidden_states,
    "position_ids": positions,
    "attention_mask": mask.expand(batch_size, 1, -1, -1),
}

# Call the layer
layer(**inputs)
