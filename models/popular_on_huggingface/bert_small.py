# labels: name::bert_small author::prajjwal1 task::feature_extraction license::mit test_group::popular_on_huggingface params::28763648
"""
bert-small of prajjwal1, for embeddings.

https://huggingface.co/prajjwal1/bert-small
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(
    hidden_size=512,
    num_hidden_layers=4,
    num_attention_heads=8,
    intermediate_size=2048,
)
if pretrained:
    model = BertModel.from_pretrained("prajjwal1/bert-small", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
