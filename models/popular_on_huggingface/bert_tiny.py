# labels: name::bert_tiny author::prajjwal1 task::feature_extraction license::mit test_group::popular_on_huggingface,sample params::4385920
"""
bert-tiny of prajjwal1, for embeddings.

https://huggingface.co/prajjwal1/bert-tiny
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(
    hidden_size=128,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=512,
)
if pretrained:
    model = BertModel.from_pretrained("prajjwal1/bert-tiny", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
