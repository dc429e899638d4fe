# labels: name::albert_base_v2 author::albert task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::11221680
"""
albert-base-v2 of albert, to fill in words that are left out.

https://huggingface.co/albert/albert-base-v2
"""

import torch
from transformers import AlbertConfig, AlbertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = AlbertConfig(hidden_size=768, num_attention_heads=12, intermediate_size=3072)
if pretrained:
    model = AlbertForMaskedLM.from_pretrained("albert/albert-base-v2", dtype=torch.float32)
else:
    model = AlbertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
