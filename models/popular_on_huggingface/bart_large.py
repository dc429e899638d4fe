# labels: name::bart_large author::facebook task::summarization license::apache-2.0 test_group::popular_on_huggingface params::406291456
"""
bart-large of facebook, to summarise text.

https://huggingface.co/facebook/bart-large
"""

import torch
from transformers import BartConfig, BartForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BartConfig()
if pretrained:
    model = BartForConditionalGeneration.from_pretrained("facebook/bart-large", dtype=torch.float32)
else:
    model = BartForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
