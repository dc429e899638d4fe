# labels: name::mbart_large_cc25 author::facebook task::translation license::mit test_group::popular_on_huggingface params::610851840
"""
mbart-large-cc25 of facebook, to translate text.

https://huggingface.co/facebook/mbart-large-cc25
"""

import torch
from transformers import MBartConfig, MBartForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MBartConfig(vocab_size=250027, scale_embedding=True)
if pretrained:
    model = MBartForConditionalGeneration.from_pretrained(
        "facebook/mbart-large-cc25", dtype=torch.float32
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
