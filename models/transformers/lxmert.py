# labels: name::lxmert author::unc-nlp task::multimodal_feature_extraction license::apache-2.0 test_group::transformers params::207936768
"""
LxmertModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/lxmert/modeling_lxmert.py
"""

import torch
from transformers import LxmertConfig, LxmertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = LxmertModel.from_pretrained("unc-nlp/lxmert-base-uncased", dtype=torch.float32)
else:
    model = LxmertModel(LxmertConfig())
model.eval()
config = model.config
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "visual_feats": torch.randn(batch_size, 36, config.visual_feat_dim),
    "visual_pos": torch.rand(batch_size, 36, config.visual_pos_dim),
}

# Call the model
model(**inputs)
