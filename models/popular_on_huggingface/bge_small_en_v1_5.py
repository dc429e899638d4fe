# labels: name::bge_small_en_v1_5 author::baai task::feature_extraction license::mit test_group::popular_on_huggingface params::33360000
"""
bge-small-en-v1.5 of BAAI, for embeddings.

https://huggingface.co/BAAI/bge-small-en-v1.5
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
    model = BertModel.from_pretrained("BAAI/bge-small-en-v1.5", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
