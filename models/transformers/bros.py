# labels: name::bros author::naver task::feature_extraction license::apache-2.0 test_group::transformers params::109494528
"""
BrosModel of transformers in its default size: words on a page in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/bros/modeling_bros.py
"""

import torch
from transformers import BrosConfig, BrosModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = BrosModel.from_pretrained("jinho8345/bros-base-uncased", dtype=torch.float32)
else:
    model = BrosModel(BrosConfig())
model.eval()
corners = torch.rand(batch_size, max_seq_length, 2) / 2
sizes = torch.rand(batch_size, max_seq_length, 2) / 2
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "bbox": torch.cat([corners, corners + sizes], dim=-1),
}

# Call the model
model(**inputs)
