# labels: name::llama_2_7b_prefill author::meta-llama task::text_generation license::llama2 test_group::llm params::6738415616
"""
Llama-2-7b-hf reads a prompt and keeps what it needs to go on.

https://huggingface.co/meta-llama/Llama-2-7b-hf
"""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = LlamaConfig(max_position_embeddings=4096, rms_norm_eps=1e-05)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
