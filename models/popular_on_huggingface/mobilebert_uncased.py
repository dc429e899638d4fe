# labels: name::mobilebert_uncased author::google task::fill_mask license::apache-2.0 test_group::popular_on_huggingface params::36596538
"""
mobilebert-uncased of google, to fill in words that are left out.

https://huggingface.co/google/mobilebert-uncased
"""

import torch
from transformers import MobileBertConfig, MobileBertForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MobileBertConfig()
if pretrained:
    model = MobileBertForMaskedLM.from_pretrained("google/mobilebert-uncased", dtype=torch.float32)
else:
    model = MobileBertForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
