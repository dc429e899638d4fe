# labels: name::data2vec_text author::meta task::feature_extraction license::mit test_group::transformers params::109482240
"""
Data2VecTextModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/data2vec/modeling_data2vec_text.py
"""

import torch
from transformers import Data2VecTextConfig, Data2VecTextModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = Data2VecTextModel.from_pretrained("facebook/data2vec-text-base", dtype=torch.float32)
else:
    model = Data2VecTextModel(Data2VecTextConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
