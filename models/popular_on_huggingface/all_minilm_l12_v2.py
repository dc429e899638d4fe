# labels: name::all_minilm_l12_v2 author::sentence-transformers task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::33360000
"""
all-MiniLM-L12-v2 of sentence-transformers, for embeddings.

https://huggingface.co/sentence-transformers/all-MiniLM-L12-v2
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(hidden_size=384, intermediate_size=1536)
if pretrained:
    model = BertModel.from_pretrained(
        "sentence-transformers/all-MiniLM-L12-v2", dtype=torch.float32
    )
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
