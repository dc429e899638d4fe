# labels: name::graphcodebert_base author::microsoft task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::124645632
"""
graphcodebert-base of microsoft, for embeddings.

https://huggingface.co/microsoft/graphcodebert-base
"""

import torch
from transformers import RobertaConfig, RobertaModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = RobertaConfig(max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-05)
if pretrained:
    model = RobertaModel.from_pretrained("microsoft/graphcodebert-base", dtype=torch.float32)
else:
    model = RobertaModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
