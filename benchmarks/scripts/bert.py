# labels: name::bert task::text
"""A 12-layer BERT made from its configuration, with random weights."""

import torch
from transformers import BertConfig, BertModel

torch.manual_seed(0)
model = BertModel(BertConfig()).eval()
inputs = {
    "input_ids": torch.randint(0, 30000, (1, 128)),
    "attention_mask": torch.ones(1, 128, dtype=torch.int64),
}
with torch.no_grad():
    model(**inputs)
