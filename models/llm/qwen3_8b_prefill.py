# labels: name::qwen3_8b_prefill author::qwen task::text_generation license::apache-2.0 test_group::llm params::8190735360
"""
Qwen3-8B reads a prompt and keeps what it needs to go on.

https://huggingface.co/Qwen/Qwen3-8B
"""

import torch
from transformers import AutoModelForCausalLM, Qwen3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Qwen3Config(
    intermediate_size=12288,
    num_hidden_layers=36,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    max_position_embeddings=40960,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
