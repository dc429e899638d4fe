# labels: name::distilbert_base_uncased_finetuned_sst_2_english author::distilbert task::text_classification license::apache-2.0 test_group::popular_on_huggingface params::66955010
"""
distilbert-base-uncased-finetuned-sst-2-english of distilbert, to classify text.

https://huggingface.co/distilbert/distilbert-base-uncased-finetuned-sst-2-english
"""

import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DistilBertConfig()
if pretrained:
    model = DistilBertForSequenceClassification.from_pretrained(
        "distilbert/distilbert-base-uncased-finetuned-sst-2-english", dtype=torch.float32
    )
else:
    model = DistilBertForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
