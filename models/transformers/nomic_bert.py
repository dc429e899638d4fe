# labels: name::nomic_bert author::nomic-ai task::feature_extraction license::apache-2.0 test_group::transformers params::136731648
"""
NomicBertModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nomic_bert/modeling_nomic_bert.py
"""

import torch
from transformers import NomicBertConfig, NomicBertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = NomicBertModel.from_pretrained("nomic-ai/nomic-embed-text-v1.5", dtype=torch.float32)
else:
    model = NomicBertModel(NomicBertConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
