# labels: name::xlm_roberta_xl author::meta task::feature_extraction license::mit test_group::transformers params::3482485760
"""
XLMRobertaXLModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/xlm_roberta_xl/modeling_xlm_roberta_xl.py
"""

import torch
from transformers import AutoModel, XLMRobertaXLConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained("facebook/xlm-roberta-xl", dtype=torch.bfloat16)
else:
    model = AutoModel.from_config(XLMRobertaXLConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
