# labels: name::distilroberta_base author::distilbert task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::82170201
"""
distilroberta-base of distilbert, to fill in words that are left out.

https://huggingface.co/distilbert/distilroberta-base
"""

import torch
from transformers import RobertaConfig, RobertaForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = RobertaConfig(
    num_hidden_layers=6,
    max_position_embeddings=514,
    type_vocab_size=1,
    layer_norm_eps=1e-05,
)
if pretrained:
    model = RobertaForMaskedLM.from_pretrained("distilbert/distilroberta-base", dtype=torch.float32)
else:
    model = RobertaForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
