# labels: name::deberta_base author::microsoft task::feature_extraction license::mit test_group::popular_on_huggingface params::138601728
"""
deberta-base of microsoft, for embeddings.

https://huggingface.co/microsoft/deberta-base
"""

import torch
from transformers import DebertaConfig, DebertaModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DebertaConfig(
    relative_attention=True,
    pos_att_type=["c2p", "p2c"],
    position_biased_input=False,
)
if pretrained:
    model = DebertaModel.from_pretrained("microsoft/deberta-base", dtype=torch.float32)
else:
    model = DebertaModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
