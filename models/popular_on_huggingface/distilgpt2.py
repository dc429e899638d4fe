# labels: name::distilgpt2 author::distilbert task::text_generation license::apache-2.0 test_group::popular_on_huggingface params::81912576
"""
distilgpt2 of distilbert, to continue text.

https://huggingface.co/distilbert/distilgpt2
"""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPT2Config(n_layer=6)
if pretrained:
    model = GPT2LMHeadModel.from_pretrained("distilbert/distilgpt2", dtype=torch.float32)
else:
    model = GPT2LMHeadModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
