# labels: name::modernbert_base author::answerdotai task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::149655232
"""
ModernBERT-base of answerdotai, to fill in words that are left out.

https://huggingface.co/answerdotai/ModernBERT-base
"""

import torch
from transformers import ModernBertConfig, ModernBertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = ModernBertConfig()
if pretrained:
    model = ModernBertForMaskedLM.from_pretrained(
        "answerdotai/ModernBERT-base", dtype=torch.float32
    )
else:
    model = ModernBertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
