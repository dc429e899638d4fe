# labels: name::distiluse_base_multilingual_cased_v2 author::sentence-transformers task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::134734080
"""
distiluse-base-multilingual-cased-v2 of sentence-transformers, for embeddings.

https://huggingface.co/sentence-transformers/distiluse-base-multilingual-cased-v2
"""

import torch
from transformers import DistilBertConfig, DistilBertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DistilBertConfig(vocab_size=119547)
if pretrained:
    model = DistilBertModel.from_pretrained(
        "sentence-transformers/distiluse-base-multilingual-cased-v2", dtype=torch.float32
    )
else:
    model = DistilBertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
