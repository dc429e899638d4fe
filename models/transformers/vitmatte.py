# labels: name::vitmatte author::hustvl task::image_matting license::apache-2.0 test_group::transformers params::87864593
"""
VitMatteForImageMatting of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vitmatte/modeling_vitmatte.py
"""

import torch
from transformers import VitMatteConfig, VitMatteForImageMatting

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = VitMatteForImageMatting.from_pretrained(
        "hustvl/vitmatte-small-composition-1k", dtype=torch.float32
    )
else:
    settings = VitMatteConfig(
        convstream_hidden_sizes=[48, 96, 192], fusion_hidden_sizes=[256, 128, 64, 32]
    )
    model = VitMatteForImageMatting(settings)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 4, height, width)}

# Call the model
model(**inputs)
