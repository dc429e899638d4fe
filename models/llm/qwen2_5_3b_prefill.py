# labels: name::qwen2_5_3b_prefill author::qwen task::text_generation license::qwen-research test_group::llm params::3085938688
"""
Qwen2.5-3B reads a prompt and keeps what it needs to go on.

https://huggingface.co/Qwen/Qwen2.5-3B
"""

import torch
from transformers import AutoModelForCausalLM, Qwen2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Qwen2Config(
    hidden_size=2048,
    intermediate_size=11008,
    num_hidden_layers=36,
    num_attention_heads=16,
    num_key_value_heads=2,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    tie_word_embeddings=True,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-3B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
