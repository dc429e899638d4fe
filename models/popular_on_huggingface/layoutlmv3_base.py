# labels: name::layoutlmv3_base author::microsoft task::feature_extraction license::cc-by-nc-sa-4.0 test_group::popular_on_huggingface params::125326976
"""
layoutlmv3-base of microsoft, for embeddings.

https://huggingface.co/microsoft/layoutlmv3-base
"""

import torch
from transformers import LayoutLMv3Config, LayoutLMv3Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = LayoutLMv3Config(max_position_embeddings=514, type_vocab_size=1)
if pretrained:
    model = LayoutLMv3Model.from_pretrained("microsoft/layoutlmv3-base", dtype=torch.float32)
else:
    model = LayoutLMv3Model(config)
model.eval()
# Boxes of words on a page of 1000 x 1000: their left and upper, then right and lower edges
corners = torch.randint(0, 1000, (batch_size, max_seq_length, 2, 2)).sort(dim=2).values
size = config.input_size
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "bbox": corners.flatten(2),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
