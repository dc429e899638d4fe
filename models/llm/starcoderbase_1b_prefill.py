# labels: name::starcoderbase_1b_prefill author::bigcode task::text_generation license::bigcode-openrail-m test_group::llm params::1137207296
"""
starcoderbase-1b reads a prompt and keeps what it needs to go on.

https://huggingface.co/bigcode/starcoderbase-1b
"""

import torch
from transformers import AutoModelForCausalLM, GPTBigCodeConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTBigCodeConfig(
    n_embd=2048,
    n_layer=24,
    n_head=16,
    n_positions=8192,
    n_inner=8192,
    vocab_size=49152,
    bos_token_id=0,
    eos_token_id=0,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("bigcode/starcoderbase-1b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
