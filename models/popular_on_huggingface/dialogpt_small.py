# labels: name::dialogpt_small author::microsoft task::text_generation license::mit test_group::popular_on_huggingface params::124439808
"""
DialoGPT-small of microsoft, to continue text.

https://huggingface.co/microsoft/DialoGPT-small
"""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPT2Config()
if pretrained:
    model = GPT2LMHeadModel.from_pretrained("microsoft/DialoGPT-small", dtype=torch.float32)
else:
    model = GPT2LMHeadModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
