# labels: name::prot_bert author::rostlab task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::419933214
"""
prot_bert of Rostlab, to fill in words that are left out.

https://huggingface.co/Rostlab/prot_bert
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
    num_hidden_layers=30,
    num_attention_heads=16,
    intermediate_size=4096,
    vocab_size=30,
    max_position_embeddings=40000,
)
if pretrained:
    model = BertForMaskedLM.from_pretrained("Rostlab/prot_bert", dtype=torch.float32)
else:
    model = BertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
