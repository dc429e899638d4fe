# labels: name::starcoder2_3b_prefill author::bigcode task::text_generation license::bigcode-openrail-m test_group::llm params::3030371328
"""
starcoder2-3b reads a prompt and keeps what it needs to go on.

https://huggingface.co/bigcode/starcoder2-3b
"""

import torch
from transformers import AutoModelForCausalLM, Starcoder2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Starcoder2Config(
    rope_parameters={"rope_theta": 999999.4420358813, "rope_type": "default"},
    sliding_window=4096,
    max_position_embeddings=16384,
    bos_token_id=0,
    eos_token_id=0,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("bigcode/starcoder2-3b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
