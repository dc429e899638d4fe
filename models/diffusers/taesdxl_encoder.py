# labels: name::taesdxl_encoder author::madebyollin task::image_to_image license::mit test_group::diffusers params::1222532
"""
Encoder of the tiny autoencoder for Stable Diffusion XL.

https://huggingface.co/madebyollin/taesdxl
"""

import torch
from diffusers import AutoencoderTiny

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    whole = AutoencoderTiny.from_pretrained("madebyollin/taesdxl")
else:
    whole = AutoencoderTiny()
model = whole.encoder
model.eval()
inputs = {
    "x": torch.randn(batch_size, 3, height, width),
}

# Call the model
model(**inputs)
