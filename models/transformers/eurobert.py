# labels: name::eurobert author::eurobert task::feature_extraction license::apache-2.0 test_group::transformers params::211766016
"""
EuroBertModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/eurobert/modeling_eurobert.py
"""

import torch
from transformers import EuroBertConfig, EuroBertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = EuroBertModel.from_pretrained("EuroBERT/EuroBERT-210m", dtype=torch.float32)
else:
    model = EuroBertModel(EuroBertConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
