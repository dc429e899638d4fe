# labels: name::dpr author::meta task::feature_extraction license::cc-by-nc-4.0 test_group::transformers params::108891648
"""
DPRQuestionEncoder of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dpr/modeling_dpr.py
"""

import torch
from transformers import DPRConfig, DPRQuestionEncoder

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = DPRQuestionEncoder.from_pretrained(
        "facebook/dpr-question_encoder-single-nq-base", dtype=torch.float32
    )
else:
    model = DPRQuestionEncoder(DPRConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
