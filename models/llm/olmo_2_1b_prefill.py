# labels: name::olmo_2_1b_prefill author::allenai task::text_generation license::apache-2.0 test_group::llm params::1484916736
"""
OLMo-2-0425-1B reads a prompt and keeps what it needs to go on.

https://huggingface.co/allenai/OLMo-2-0425-1B
"""

import torch
from transformers import AutoModelForCausalLM, Olmo2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Olmo2Config(
    hidden_size=2048,
    intermediate_size=8192,
    num_hidden_layers=16,
    num_attention_heads=16,
    num_key_value_heads=16,
    rope_parameters={"rope_theta": 500000.0, "rope_type": "default"},
    vocab_size=100352,
    max_position_embeddings=4096,
    rms_norm_eps=1e-06,
    pad_token_id=100277,
    eos_token_id=100257,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("allenai/OLMo-2-0425-1B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
