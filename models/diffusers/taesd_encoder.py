# labels: name::taesd_encoder author::madebyollin task::image_to_image license::mit test_group::diffusers,sample params::1222532
"""
Encoder of the tiny autoencoder for Stable Diffusion.

https://huggingface.co/madebyollin/taesd
"""

import torch
from diffusers import AutoencoderTiny

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    whole = AutoencoderTiny.from_pretrained("madebyollin/taesd")
else:
    whole = AutoencoderTiny()
model = whole.encoder
model.eval()
inputs = {
    "x": torch.randn(batch_size, 3, height, width),
}

# Call the model
model(**inputs)
