# labels: name::m2m100_418m author::facebook task::translation license::mit test_group::popular_on_huggingface params::483905536
"""
m2m100_418M of facebook, to translate text.

https://huggingface.co/facebook/m2m100_418M
"""

import torch
from transformers import M2M100Config, M2M100ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = M2M100Config()
if pretrained:
    model = M2M100ForConditionalGeneration.from_pretrained(
        "facebook/m2m100_418M", dtype=torch.float32
    )
else:
    model = M2M100ForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
