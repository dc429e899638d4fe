# labels: name::distilbert_base_multilingual_cased_sentiments_student author::lxyuan task::text_classification license::apache-2.0 test_group::popular_on_huggingface params::135326979
"""
distilbert-base-multilingual-cased-sentiments-student of lxyuan, to classify text.

https://huggingface.co/lxyuan/distilbert-base-multilingual-cased-sentiments-student
"""

import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DistilBertConfig(vocab_size=119547, num_labels=3)
if pretrained:
    model = DistilBertForSequenceClassification.from_pretrained(
        "lxyuan/distilbert-base-multilingual-cased-sentiments-student", dtype=torch.float32
    )
else:
    model = DistilBertForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
