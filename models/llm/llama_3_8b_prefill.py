# labels: name::llama_3_8b_prefill author::meta-llama task::text_generation license::llama3 test_group::llm params::8030261248
"""
Meta-Llama-3-8B reads a prompt and keeps what it needs to go on.

https://huggingface.co/meta-llama/Meta-Llama-3-8B
"""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = LlamaConfig(
    intermediate_size=14336,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 500000.0, "rope_type": "default"},
    vocab_size=128256,
    max_position_embeddings=8192,
    rms_norm_eps=1e-05,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("meta-llama/Meta-Llama-3-8B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
