# labels: name::multi_qa_mpnet_base_dot_v1 author::sentence-transformers task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::109486464
"""
multi-qa-mpnet-base-dot-v1 of sentence-transformers, for embeddings.

https://huggingface.co/sentence-transformers/multi-qa-mpnet-base-dot-v1
"""

import torch
from transformers import MPNetConfig, MPNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MPNetConfig(max_position_embeddings=514, layer_norm_eps=1e-05)
if pretrained:
    model = MPNetModel.from_pretrained(
        "sentence-transformers/multi-qa-mpnet-base-dot-v1", dtype=torch.float32
    )
else:
    model = MPNetModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
