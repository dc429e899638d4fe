# labels: name::distilbert_base_multilingual_cased author::distilbert task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::135445755
"""
distilbert-base-multilingual-cased of distilbert, to fill in words that are left out.

https://huggingface.co/distilbert/distilbert-base-multilingual-cased
"""

import torch
from transformers import DistilBertConfig, DistilBertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DistilBertConfig(vocab_size=119547)
if pretrained:
    model = DistilBertForMaskedLM.from_pretrained(
        "distilbert/distilbert-base-multilingual-cased", dtype=torch.float32
    )
else:
    model = DistilBertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
