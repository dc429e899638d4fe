# labels: name::roberta_prelayernorm author::andreasmadsen task::feature_extraction license::mit test_group::transformers params::124646400
"""
RobertaPreLayerNormModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/roberta_prelayernorm/modeling_roberta_prelayernorm.py
"""

import torch
from transformers import RobertaPreLayerNormConfig, RobertaPreLayerNormModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = RobertaPreLayerNormModel.from_pretrained(
        "andreasmadsen/efficient_mlm_m0.40", dtype=torch.float32
    )
else:
    model = RobertaPreLayerNormModel(RobertaPreLayerNormConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
