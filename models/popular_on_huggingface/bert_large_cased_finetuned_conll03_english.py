# labels: name::bert_large_cased_finetuned_conll03_english author::dbmdz task::token_classification license::mit test_group::popular_on_huggingface params::332538889
"""
bert-large-cased-finetuned-conll03-english of dbmdz, to label the words of a text.

https://huggingface.co/dbmdz/bert-large-cased-finetuned-conll03-english
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
    model = BertForTokenClassification.from_pretrained(
        "dbmdz/bert-large-cased-finetuned-conll03-english", dtype=torch.float32
    )
else:
    model = BertForTokenClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
