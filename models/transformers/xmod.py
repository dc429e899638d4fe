# labels: name::xmod author::meta task::feature_extraction license::mit test_group::transformers params::116573952
"""
XmodModel of transformers in its default size: text of a known language in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/xmod/modeling_xmod.py
"""

import torch
from transformers import XmodConfig, XmodModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = XmodModel.from_pretrained("facebook/xmod-base", dtype=torch.float32)
else:
    model = XmodModel(XmodConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "lang_ids": torch.zeros(batch_size, dtype=torch.long),
}

# Call the model
model(**inputs)
