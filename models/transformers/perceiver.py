# labels: name::perceiver author::deepmind task::fill_mask license::apache-2.0 test_group::transformers params::269319430
"""
PerceiverForMaskedLM of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/perceiver/modeling_perceiver.py
"""

import torch
from transformers import PerceiverConfig, PerceiverForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = PerceiverForMaskedLM.from_pretrained("deepmind/language-perceiver", dtype=torch.float32)
else:
    model = PerceiverForMaskedLM(PerceiverConfig())
model.eval()
config = model.config
length = config.max_position_embeddings
inputs = {"inputs": torch.randint(0, config.vocab_size, (batch_size, length))}

# Call the model
model(**inputs)
