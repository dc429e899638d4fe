# labels: name::pythia_410m author::eleutherai task::text_generation license::apache-2.0 test_group::popular_on_huggingface params::405334016
"""
pythia-410m of EleutherAI, to continue text.

https://huggingface.co/EleutherAI/pythia-410m
"""

import torch
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTNeoXConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    vocab_size=50304,
)
if pretrained:
    model = GPTNeoXForCausalLM.from_pretrained("EleutherAI/pythia-410m", dtype=torch.float32)
else:
    model = GPTNeoXForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
