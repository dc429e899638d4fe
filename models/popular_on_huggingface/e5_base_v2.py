# labels: name::e5_base_v2 author::intfloat task::feature_extraction license::mit test_group::popular_on_huggingface params::109482240
"""
e5-base-v2 of intfloat, for embeddings.

https://huggingface.co/intfloat/e5-base-v2
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig()
if pretrained:
    model = BertModel.from_pretrained("intfloat/e5-base-v2", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
