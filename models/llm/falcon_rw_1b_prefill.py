# labels: name::falcon_rw_1b_prefill author::tiiuae task::text_generation license::apache-2.0 test_group::llm params::1311625216
"""
falcon-rw-1b reads a prompt and keeps what it needs to go on.

https://huggingface.co/tiiuae/falcon-rw-1b
"""

import torch
from transformers import AutoModelForCausalLM, FalconConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = FalconConfig(
    vocab_size=50304,
    hidden_size=2048,
    num_hidden_layers=24,
    num_attention_heads=32,
    alibi=True,
    multi_query=False,
    parallel_attn=False,
    bias=True,
    bos_token_id=1,
    eos_token_id=2,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("tiiuae/falcon-rw-1b", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
