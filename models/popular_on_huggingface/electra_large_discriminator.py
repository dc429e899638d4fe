# labels: name::electra_large_discriminator author::google task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::335142913
"""
electra-large-discriminator of google, for embeddings.

https://huggingface.co/google/electra-large-discriminator
"""

import torch
from transformers import ElectraConfig, ElectraForPreTraining

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = ElectraConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    embedding_size=1024,
)
if pretrained:
    model = ElectraForPreTraining.from_pretrained(
        "google/electra-large-discriminator", dtype=torch.float32
    )
else:
    model = ElectraForPreTraining(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
