# labels: name::textnet author::czczup task::image_feature_extraction license::apache-2.0 test_group::transformers params::10704832
"""
TextNetModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/textnet/modeling_textnet.py
"""

import torch
from transformers import TextNetConfig, TextNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
if pretrained:
    model = TextNetModel.from_pretrained("czczup/textnet-base", dtype=torch.float32)
else:
    model = TextNetModel(TextNetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
