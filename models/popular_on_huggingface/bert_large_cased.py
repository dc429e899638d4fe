# labels: name::bert_large_cased author::google-bert task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::333610308
"""
bert-large-cased of google-bert, to fill in words that are left out.

https://huggingface.co/google-bert/bert-large-cased
"""

import torch
from transformers import BertConfig, BertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    vocab_size=28996,
)
if pretrained:
    model = BertForMaskedLM.from_pretrained("google-bert/bert-large-cased", dtype=torch.float32)
else:
    model = BertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
