# labels: name::ms_marco_minilm_l6_v2 author::cross-encoder task::text_classification license::apache-2.0 test_group::popular_on_huggingface params::22713601
"""
ms-marco-MiniLM-L6-v2 of cross-encoder, to classify text.

https://huggingface.co/cross-encoder/ms-marco-MiniLM-L6-v2
"""

import torch
from transformers import BertConfig, BertForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(hidden_size=384, num_hidden_layers=6, intermediate_size=1536, num_labels=1)
if pretrained:
    model = BertForSequenceClassification.from_pretrained(
        "cross-encoder/ms-marco-MiniLM-L6-v2", dtype=torch.float32
    )
else:
    model = BertForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
