# labels: name::swin2sr author::caidas task::image_to_image license::apache-2.0 test_group::transformers params::12091571
"""
Swin2SRForImageSuperResolution of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/swin2sr/modeling_swin2sr.py
"""

import torch
from transformers import Swin2SRConfig, Swin2SRForImageSuperResolution

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=64, width=64
)

# The model and its inputs
if pretrained:
    model = Swin2SRForImageSuperResolution.from_pretrained(
        "caidas/swin2sr-classicalsr-x2-64", dtype=torch.float32
    )
else:
    model = Swin2SRForImageSuperResolution(Swin2SRConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
