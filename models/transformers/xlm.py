# labels: name::xlm author::meta task::feature_extraction license::cc-by-nc-4.0 test_group::transformers params::667088896
"""
XLMModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/xlm/modeling_xlm.py
"""

import torch
from transformers import XLMConfig, XLMModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = XLMModel.from_pretrained("FacebookAI/xlm-mlm-en-2048", dtype=torch.float32)
else:
    model = XLMModel(XLMConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
