# labels: name::deberta_v2 author::microsoft task::feature_extraction license::mit test_group::transformers params::877507584
"""
DebertaV2Model of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/deberta_v2/modeling_deberta_v2.py
"""

import torch
from transformers import DebertaV2Config, DebertaV2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = DebertaV2Model.from_pretrained("microsoft/deberta-v2-xlarge", dtype=torch.float32)
else:
    model = DebertaV2Model(DebertaV2Config())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
