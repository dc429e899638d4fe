# labels: name::granite_3_0_2b_prefill author::ibm-granite task::text_generation license::apache-2.0 test_group::llm params::2533531648
"""
granite-3.0-2b-base reads a prompt and keeps what it needs to go on.

https://huggingface.co/ibm-granite/granite-3.0-2b-base
"""

import torch
from transformers import AutoModelForCausalLM, GraniteConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GraniteConfig(
    hidden_size=2048,
    intermediate_size=8192,
    num_hidden_layers=40,
    num_key_value_heads=8,
    vocab_size=49155,
    max_position_embeddings=4096,
    rms_norm_eps=1e-05,
    embedding_multiplier=12.0,
    residual_multiplier=0.22,
    tie_word_embeddings=True,
    bos_token_id=0,
    eos_token_id=0,
    pad_token_id=0,
    logits_scaling=8.0,
    attention_multiplier=0.015625,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "ibm-granite/granite-3.0-2b-base", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
