# labels: name::bert_base_multilingual_cased author::google-bert task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::177974523
"""
bert-base-multilingual-cased of google-bert, to fill in words that are left out.

https://huggingface.co/google-bert/bert-base-multilingual-cased
"""

import torch
from transformers import BertConfig, BertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(vocab_size=119547)
if pretrained:
    model = BertForMaskedLM.from_pretrained(
        "google-bert/bert-base-multilingual-cased", dtype=torch.float32
    )
else:
    model = BertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
