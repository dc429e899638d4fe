# labels: name::xlm_roberta author::meta task::feature_extraction license::mit test_group::transformers params::109482240
"""
XLMRobertaModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/xlm_roberta/modeling_xlm_roberta.py
"""

import torch
from transformers import XLMRobertaConfig, XLMRobertaModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = XLMRobertaModel.from_pretrained("FacebookAI/xlm-roberta-base", dtype=torch.float32)
else:
    model = XLMRobertaModel(XLMRobertaConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
