# labels: name::mpnet_base author::microsoft task::fill_mask license::mit test_group::popular_on_huggingface params::109518527
"""
mpnet-base of microsoft, to fill in words that are left out.

https://huggingface.co/microsoft/mpnet-base
"""

import torch
from transformers import MPNetConfig, MPNetForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MPNetConfig(max_position_embeddings=514, layer_norm_eps=1e-05)
if pretrained:
    model = MPNetForMaskedLM.from_pretrained("microsoft/mpnet-base", dtype=torch.float32)
else:
    model = MPNetForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
