# labels: name::albert_large_v2 author::albert task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::16795824
"""
albert-large-v2 of albert, to fill in words that are left out.

https://huggingface.co/albert/albert-large-v2
"""

import torch
from transformers import AlbertConfig, AlbertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = AlbertConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
)
if pretrained:
    model = AlbertForMaskedLM.from_pretrained("albert/albert-large-v2", dtype=torch.float32)
else:
    model = AlbertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
