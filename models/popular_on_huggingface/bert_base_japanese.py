# labels: name::bert_base_japanese author::tohoku-nlp task::fill_mask license::cc-by-sa-4.0 test_group::popular_on_huggingface params::110650880
"""
bert-base-japanese of tohoku-nlp, to fill in words that are left out.

https://huggingface.co/tohoku-nlp/bert-base-japanese
"""

import torch
from transformers import BertConfig, BertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(vocab_size=32000)
if pretrained:
    model = BertForMaskedLM.from_pretrained("tohoku-nlp/bert-base-japanese", dtype=torch.float32)
else:
    model = BertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
