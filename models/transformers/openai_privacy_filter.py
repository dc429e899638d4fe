# labels: name::openai_privacy_filter author::openai task::feature_extraction license::apache-2.0 test_group::transformers params::1399465712
"""
OpenAIPrivacyFilterModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/openai_privacy_filter/modeling_openai_privacy_filter.py
"""

import torch
from transformers import AutoModel, OpenAIPrivacyFilterConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained("openai/privacy-filter", dtype=torch.bfloat16)
else:
    model = AutoModel.from_config(OpenAIPrivacyFilterConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
