# labels: name::camembert_base author::almanach task::fill_mask license::mit test_group::popular_on_huggingface params::110655493
"""
camembert-base of almanach, to fill in words that are left out.

https://huggingface.co/almanach/camembert-base
"""

import torch
from transformers import CamembertConfig, CamembertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = CamembertConfig(
    max_position_embeddings=514,
    type_vocab_size=1,
    layer_norm_eps=1e-05,
    vocab_size=32005,
)
if pretrained:
    model = CamembertForMaskedLM.from_pretrained("almanach/camembert-base", dtype=torch.float32)
else:
    model = CamembertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
