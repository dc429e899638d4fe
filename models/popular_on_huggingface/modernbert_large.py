# labels: name::modernbert_large author::answerdotai task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::395881664
"""
ModernBERT-large of answerdotai, to fill in words that are left out.

https://huggingface.co/answerdotai/ModernBERT-large
"""

import torch
from transformers import ModernBertConfig, ModernBertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = ModernBertConfig(
    hidden_size=1024,
    intermediate_size=2624,
    num_hidden_layers=28,
    num_attention_heads=16,
)
if pretrained:
    model = ModernBertForMaskedLM.from_pretrained(
        "answerdotai/ModernBERT-large", dtype=torch.float32
    )
else:
    model = ModernBertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
