# labels: name::decision_transformer author::huggingface task::reinforcement_learning license::apache-2.0 test_group::transformers,sample params::1256854
"""
DecisionTransformerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/decision_transformer/modeling_decision_transformer.py
"""

import torch
from transformers import DecisionTransformerConfig, DecisionTransformerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = DecisionTransformerModel(DecisionTransformerConfig())
model.eval()
config = model.config
inputs = {
    "states": torch.randn(batch_size, max_seq_length, config.state_dim),
    "actions": torch.randn(batch_size, max_seq_length, config.act_dim),
    "rewards": torch.randn(batch_size, max_seq_length, 1),
    "returns_to_go": torch.randn(batch_size, max_seq_length, 1),
    "timesteps": torch.arange(max_seq_length).repeat(batch_size, 1),
    "attention_mask": torch.ones(batch_size, max_seq_length),
}

# Call the model
model(**inputs)
