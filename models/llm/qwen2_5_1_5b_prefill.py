# labels: name::qwen2_5_1_5b_prefill author::qwen task::text_generation license::apache-2.0 test_group::llm params::1543714304
"""
Qwen2.5-1.5B reads a prompt and keeps what it needs to go on.

https://huggingface.co/Qwen/Qwen2.5-1.5B
"""

import torch
from transformers import AutoModelForCausalLM, Qwen2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Qwen2Config(
    hidden_size=1536,
    intermediate_size=8960,
    num_hidden_layers=28,
    num_attention_heads=12,
    num_key_value_heads=2,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    max_position_embeddings=131072,
    tie_word_embeddings=True,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
