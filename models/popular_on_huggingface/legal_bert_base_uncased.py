# labels: name::legal_bert_base_uncased author::nlpaueb task::fill_mask license::cc-by-sa-4.0 test_group::popular_on_huggingface params::109514298
"""
legal-bert-base-uncased of nlpaueb, to fill in words that are left out.

https://huggingface.co/nlpaueb/legal-bert-base-uncased
"""

import torch
from transformers import BertConfig, BertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig()
if pretrained:
    model = BertForMaskedLM.from_pretrained("nlpaueb/legal-bert-base-uncased", dtype=torch.float32)
else:
    model = BertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
