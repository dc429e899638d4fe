# labels: name::mpnet author::microsoft task::feature_extraction license::apache-2.0 test_group::transformers params::109484928
"""
MPNetModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mpnet/modeling_mpnet.py
"""

import torch
from transformers import MPNetConfig, MPNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = MPNetModel.from_pretrained("microsoft/mpnet-base", dtype=torch.float32)
else:
    model = MPNetModel(MPNetConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
