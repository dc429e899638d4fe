# labels: name::distilbert_base_uncased_distilled_squad author::distilbert task::question_answering license::apache-2.0 test_group::popular_on_huggingface params::66364418
"""
distilbert-base-uncased-distilled-squad of distilbert, to find answers in a text.

https://huggingface.co/distilbert/distilbert-base-uncased-distilled-squad
"""

import torch
from transformers import DistilBertConfig, DistilBertForQuestionAnswering

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DistilBertConfig()
if pretrained:
    model = DistilBertForQuestionAnswering.from_pretrained(
        "distilbert/distilbert-base-uncased-distilled-squad", dtype=torch.float32
    )
else:
    model = DistilBertForQuestionAnswering(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
