# labels: name::bert_base_portuguese_cased author::neuralmind task::fill_mask license::mit test_group::popular_on_huggingface params::108954466
"""
bert-base-portuguese-cased of neuralmind, to fill in words that are left out.

https://huggingface.co/neuralmind/bert-base-portuguese-cased
"""

import torch
from transformers import BertConfig, BertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(vocab_size=29794)
if pretrained:
    model = BertForMaskedLM.from_pretrained(
        "neuralmind/bert-base-portuguese-cased", dtype=torch.float32
    )
else:
    model = BertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
