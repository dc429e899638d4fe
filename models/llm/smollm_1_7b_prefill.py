# labels: name::smollm_1_7b_prefill author::huggingfacetb task::text_generation license::apache-2.0 test_group::llm params::1711376384
"""
SmolLM-1.7B reads a prompt and keeps what it needs to go on.

https://huggingface.co/HuggingFaceTB/SmolLM-1.7B
"""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = LlamaConfig(
    hidden_size=2048,
    intermediate_size=8192,
    num_hidden_layers=24,
    vocab_size=49152,
    rms_norm_eps=1e-05,
    tie_word_embeddings=True,
)
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("HuggingFaceTB/SmolLM-1.7B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
