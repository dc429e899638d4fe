# labels: name::bert_base_multilingual_uncased_sentiment author::nlptown task::text_classification license::apache-2.0 test_group::popular_on_huggingface params::167360261
"""
bert-base-multilingual-uncased-sentiment of nlptown, to classify text.

https://huggingface.co/nlptown/bert-base-multilingual-uncased-sentiment
"""

import torch
from transformers import BertConfig, BertForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(vocab_size=105879, num_labels=5)
if pretrained:
    model = BertForSequenceClassification.from_pretrained(
        "nlptown/bert-base-multilingual-uncased-sentiment", dtype=torch.float32
    )
else:
    model = BertForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
