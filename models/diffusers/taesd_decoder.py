# labels: name::taesd_decoder author::madebyollin task::image_to_image license::mit test_group::diffusers,sample params::1222531
"""
Decoder of the tiny autoencoder for Stable Diffusion.

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
model = whole.decoder
model.eval()
inputs = {
    "x": torch.randn(batch_size, 4, height // 8, width // 8),
}

# Call the model
model(**inputs)
