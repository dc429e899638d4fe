# labels: name::deberta author::microsoft task::feature_extraction license::mit test_group::transformers params::124043520
"""
DebertaModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/deberta/modeling_deberta.py
"""

import torch
from transformers import DebertaConfig, DebertaModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = DebertaModel.from_pretrained("microsoft/deberta-base", dtype=torch.float32)
else:
    model = DebertaModel(DebertaConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
