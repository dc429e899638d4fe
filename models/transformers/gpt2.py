# labels: name::gpt2 author::openai task::text_generation license::mit test_group::transformers params::124439808
"""
GPT2LMHeadModel of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/gpt2/modeling_gpt2.py
"""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = GPT2LMHeadModel.from_pretrained("openai-community/gpt2", dtype=torch.float32)
else:
    model = GPT2LMHeadModel(GPT2Config())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
