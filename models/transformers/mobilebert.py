# labels: name::mobilebert author::google task::feature_extraction license::apache-2.0 test_group::transformers,sample params::24844544
"""
MobileBertModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mobilebert/modeling_mobilebert.py
"""

import torch
from transformers import MobileBertConfig, MobileBertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = MobileBertModel.from_pretrained("google/mobilebert-uncased", dtype=torch.float32)
else:
    model = MobileBertModel(MobileBertConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
