# labels: name::camembert author::inria task::feature_extraction license::mit test_group::transformers params::109482240
"""
CamembertModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/camembert/modeling_camembert.py
"""

import torch
from transformers import CamembertConfig, CamembertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = CamembertModel.from_pretrained("almanach/camembert-base", dtype=torch.float32)
else:
    model = CamembertModel(CamembertConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
