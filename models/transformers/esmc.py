# labels: name::esmc author::biohub task::feature_extraction license::other test_group::transformers params::6345280000
"""
EsmcModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/esmc/modeling_esmc.py
"""

import torch
from transformers import AutoModel, EsmcConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained("biohub/ESMC-6B", dtype=torch.bfloat16)
else:
    model = AutoModel.from_config(EsmcConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
