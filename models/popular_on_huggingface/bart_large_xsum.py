# labels: name::bart_large_xsum author::facebook task::summarization license::mit test_group::popular_on_huggingface params::406290432
"""
bart-large-xsum of facebook, to summarise text.

https://huggingface.co/facebook/bart-large-xsum
"""

import torch
from transformers import BartConfig, BartForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BartConfig(vocab_size=50264)
if pretrained:
    model = BartForConditionalGeneration.from_pretrained(
        "facebook/bart-large-xsum", dtype=torch.float32
    )
else:
    model = BartForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
