# labels: name::mbart_large_50_many_to_many_mmt author::facebook task::translation license::mit test_group::popular_on_huggingface params::610879488
"""
mbart-large-50-many-to-many-mmt of facebook, to translate text.

https://huggingface.co/facebook/mbart-large-50-many-to-many-mmt
"""

import torch
from transformers import MBartConfig, MBartForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MBartConfig(vocab_size=250054, activation_function="relu", scale_embedding=True)
if pretrained:
    model = MBartForConditionalGeneration.from_pretrained(
        "facebook/mbart-large-50-many-to-many-mmt", dtype=torch.float32
    )
else:
    model = MBartForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
