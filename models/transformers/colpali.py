# labels: name::colpali author::vidore task::visual_document_retrieval license::apache-2.0 test_group::transformers params::2910652800
"""
ColPaliForRetrieval of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/colpali/modeling_colpali.py
"""

import torch
from transformers import , ColPaliConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = .from_pretrained("vidore/colpali-v1.2", dtype=torch.bfloat16)
else:
    model = .from_config(ColPaliConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
size = config.image_size
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs)
