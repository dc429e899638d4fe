# labels: name::multi_qa_minilm_l6_cos_v1 author::sentence-transformers task::feature_extraction license::mit test_group::popular_on_huggingface params::22713216
"""
multi-qa-MiniLM-L6-cos-v1 of sentence-transformers, for embeddings.

https://huggingface.co/sentence-transformers/multi-qa-MiniLM-L6-cos-v1
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(hidden_size=384, num_hidden_layers=6, intermediate_size=1536)
if pretrained:
    model = BertModel.from_pretrained(
        "sentence-transformers/multi-qa-MiniLM-L6-cos-v1", dtype=torch.float32
    )
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
