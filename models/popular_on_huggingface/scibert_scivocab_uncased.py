# labels: name::scibert_scivocab_uncased author::allenai task::feature_extraction license::mit test_group::popular_on_huggingface params::109918464
"""
scibert_scivocab_uncased of allenai, for embeddings.

https://huggingface.co/allenai/scibert_scivocab_uncased
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(vocab_size=31090)
if pretrained:
    model = BertModel.from_pretrained("allenai/scibert_scivocab_uncased", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
