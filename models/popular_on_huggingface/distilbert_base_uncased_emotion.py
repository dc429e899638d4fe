# labels: name::distilbert_base_uncased_emotion author::bhadresh-savani task::text_classification license::apache-2.0 test_group::popular_on_huggingface params::66958086
"""
distilbert-base-uncased-emotion of bhadresh-savani, to classify text.

https://huggingface.co/bhadresh-savani/distilbert-base-uncased-emotion
"""

import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DistilBertConfig(num_labels=6)
if pretrained:
    model = DistilBertForSequenceClassification.from_pretrained(
        "bhadresh-savani/distilbert-base-uncased-emotion", dtype=torch.float32
    )
else:
    model = DistilBertForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
