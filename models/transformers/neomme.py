# labels: name::neomme author::hcompany task::multimodal_feature_extraction license::apache-2.0 test_group::transformers params::262937906
"""
NeoMMEModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/neomme/modeling_neomme.py
"""

import torch
from transformers import NeoMMEConfig, NeoMMEModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = NeoMMEModel.from_pretrained("Hcompany/NeoMME-260M", dtype=torch.float32)
else:
    model = NeoMMEModel(NeoMMEConfig())
model.eval()
config = model.config
places = torch.full((batch_size, 49), config.image_token_id)
text = torch.randint(config.image_token_id + 1, config.vocab_size, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.randn(batch_size * 49, config.patch_dim),
}

# Call the model
model(**inputs)
