# labels: name::qwen3_4b_prefill author::qwen task::text_generation license::apache-2.0 test_group::llm params::4022468096
"""
Qwen3-4B reads a prompt and keeps what it needs to go on.

https://huggingface.co/Qwen/Qwen3-4B
"""

import torch
from transformers import AutoModelForCausalLM, Qwen3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Qwen3Config(
    hidden_size=2560,
    intermediate_size=9728,
    num_hidden_layers=36,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    max_position_embeddings=40960,
    tie_word_embeddings=True,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
