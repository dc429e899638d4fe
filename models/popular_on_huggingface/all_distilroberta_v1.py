# labels: name::all_distilroberta_v1 author::sentence-transformers task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::82118400
"""
all-distilroberta-v1 of sentence-transformers, for embeddings.

https://huggingface.co/sentence-transformers/all-distilroberta-v1
"""

import torch
from transformers import RobertaConfig, RobertaModel

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
    model = RobertaModel.from_pretrained(
        "sentence-transformers/all-distilroberta-v1", dtype=torch.float32
    )
else:
    model = RobertaModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
