# labels: name::biobert_v1_1 author::dmis-lab task::feature_extraction license::mit test_group::popular_on_huggingface params::108310272
"""
biobert-v1.1 of dmis-lab, for embeddings.

https://huggingface.co/dmis-lab/biobert-v1.1
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(vocab_size=28996)
if pretrained:
    model = BertModel.from_pretrained("dmis-lab/biobert-v1.1", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
