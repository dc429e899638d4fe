# labels: name::bert_large_ner author::dslim task::token_classification license::mit test_group::popular_on_huggingface params::332538889
"""
bert-large-NER of dslim, to label the words of a text.

https://huggingface.co/dslim/bert-large-NER
"""

import torch
from transformers import BertConfig, BertForTokenClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    vocab_size=28996,
    num_labels=9,
)
if pretrained:
    model = BertForTokenClassification.from_pretrained("dslim/bert-large-NER", dtype=torch.float32)
else:
    model = BertForTokenClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
