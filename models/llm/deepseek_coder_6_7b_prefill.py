# labels: name::deepseek_coder_6_7b_prefill author::deepseek-ai task::text_generation license::deepseek test_group::llm params::6740512768
"""
deepseek-coder-6.7b-base reads a prompt and keeps what it needs to go on.

https://huggingface.co/deepseek-ai/deepseek-coder-6.7b-base
"""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = LlamaConfig(
    rope_parameters={"rope_type": "linear", "rope_theta": 100000.0, "factor": 4.0},
    vocab_size=32256,
    max_position_embeddings=16384,
    bos_token_id=32013,
    eos_token_id=32014,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "deepseek-ai/deepseek-coder-6.7b-base", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
