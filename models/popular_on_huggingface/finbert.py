# labels: name::finbert author::prosusai task::text_classification license::apache-2.0 test_group::popular_on_huggingface params::109484547
"""
finbert of ProsusAI, to classify text.

https://huggingface.co/ProsusAI/finbert
"""

import torch
from transformers import BertConfig, BertForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(num_labels=3)
if pretrained:
    model = BertForSequenceClassification.from_pretrained("ProsusAI/finbert", dtype=torch.float32)
else:
    model = BertForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
