# labels: name::open_llama_3b_prefill author::openlm-research task::text_generation license::apache-2.0 test_group::llm params::3426473600
"""
open_llama_3b reads a prompt and keeps what it needs to go on.

https://huggingface.co/openlm-research/open_llama_3b
"""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = LlamaConfig(hidden_size=3200, intermediate_size=8640, num_hidden_layers=26)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "openlm-research/open_llama_3b", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
