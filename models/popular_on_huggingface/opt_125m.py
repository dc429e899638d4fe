# labels: name::opt_125m author::facebook task::text_generation license::other test_group::popular_on_huggingface params::125239296
"""
opt-125m of facebook, to continue text.

https://huggingface.co/facebook/opt-125m
"""

import torch
from transformers import OPTConfig, OPTForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = OPTConfig()
if pretrained:
    model = OPTForCausalLM.from_pretrained("facebook/opt-125m", dtype=torch.float32)
else:
    model = OPTForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
