# labels: name::nomic_embed_text_v1_5 author::nomic-ai task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::136731648
"""
nomic-embed-text-v1.5 of nomic-ai, for embeddings.

https://huggingface.co/nomic-ai/nomic-embed-text-v1.5
"""

import torch
from transformers import NomicBertConfig, NomicBertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = NomicBertConfig()
if pretrained:
    model = NomicBertModel.from_pretrained("nomic-ai/nomic-embed-text-v1.5", dtype=torch.float32)
else:
    model = NomicBertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
