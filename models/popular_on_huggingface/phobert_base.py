# labels: name::phobert_base author::vinai task::fill_mask license::mit test_group::popular_on_huggingface params::135063809
"""
phobert-base of vinai, to fill in words that are left out.

https://huggingface.co/vinai/phobert-base
"""

import torch
from transformers import RobertaConfig, RobertaForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = RobertaConfig(
    max_position_embeddings=258,
    type_vocab_size=1,
    layer_norm_eps=1e-05,
    vocab_size=64001,
)
if pretrained:
    model = RobertaForMaskedLM.from_pretrained("vinai/phobert-base", dtype=torch.float32)
else:
    model = RobertaForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
