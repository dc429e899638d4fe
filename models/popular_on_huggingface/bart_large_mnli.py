# labels: name::bart_large_mnli author::facebook task::text_classification license::mit test_group::popular_on_huggingface params::407344131
"""
bart-large-mnli of facebook, to classify text.

https://huggingface.co/facebook/bart-large-mnli
"""

import torch
from transformers import BartConfig, BartForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BartConfig()
if pretrained:
    model = BartForSequenceClassification.from_pretrained(
        "facebook/bart-large-mnli", dtype=torch.float32
    )
else:
    model = BartForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(3, config.vocab_size, (batch_size, max_seq_length))}
inputs["input_ids"][:, -1] = config.eos_token_id

# Call the model
model(**inputs, use_cache=False)
