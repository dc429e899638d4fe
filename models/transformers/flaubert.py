# labels: name::flaubert author::flaubert task::feature_extraction license::mit test_group::transformers params::667088896
"""
FlaubertModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/flaubert/modeling_flaubert.py
"""

import torch
from transformers import FlaubertConfig, FlaubertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = FlaubertModel.from_pretrained("flaubert/flaubert_base_uncased", dtype=torch.float32)
else:
    model = FlaubertModel(FlaubertConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
