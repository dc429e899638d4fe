# labels: name::gpt2_large author::openai-community task::text_generation license::mit test_group::popular_on_huggingface params::774030080
"""
gpt2-large of openai-community, to continue text.

https://huggingface.co/openai-community/gpt2-large
"""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPT2Config(n_embd=1280, n_layer=36, n_head=20)
if pretrained:
    model = GPT2LMHeadModel.from_pretrained("openai-community/gpt2-large", dtype=torch.float32)
else:
    model = GPT2LMHeadModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
