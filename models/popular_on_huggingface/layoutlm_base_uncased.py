# labels: name::layoutlm_base_uncased author::microsoft task::feature_extraction license::mit test_group::popular_on_huggingface params::112627968
"""
layoutlm-base-uncased of microsoft, for embeddings.

https://huggingface.co/microsoft/layoutlm-base-uncased
"""

import torch
from transformers import LayoutLMConfig, LayoutLMModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = LayoutLMConfig()
if pretrained:
    model = LayoutLMModel.from_pretrained("microsoft/layoutlm-base-uncased", dtype=torch.float32)
else:
    model = LayoutLMModel(config)
model.eval()
# Boxes of words on a page of 1000 x 1000: their left and upper, then right and lower edges
corners = torch.randint(0, 1000, (batch_size, max_seq_length, 2, 2)).sort(dim=2).values
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "bbox": corners.flatten(2),
}

# Call the model
model(**inputs)
