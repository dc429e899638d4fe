# labels: name::mistral_7b_v0_1_prefill author::mistralai task::text_generation license::apache-2.0 test_group::llm params::7241732096
"""
Mistral-7B-v0.1 reads a prompt and keeps what it needs to go on.

https://huggingface.co/mistralai/Mistral-7B-v0.1
"""

import torch
from transformers import AutoModelForCausalLM, MistralConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MistralConfig(max_position_embeddings=32768, rms_norm_eps=1e-05)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
