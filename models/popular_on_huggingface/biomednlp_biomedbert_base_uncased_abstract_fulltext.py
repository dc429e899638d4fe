# labels: name::biomednlp_biomedbert_base_uncased_abstract_fulltext author::microsoft task::fill_mask license::mit test_group::popular_on_huggingface params::109514298
"""
BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext of microsoft, to fill in words that are left
out.

https://huggingface.co/microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext
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
    model = BertForMaskedLM.from_pretrained(
        "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext", dtype=torch.float32
    )
else:
    model = BertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
