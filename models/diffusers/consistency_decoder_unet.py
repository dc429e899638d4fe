# labels: name::consistency_decoder_unet author::openai task::image_to_image license::mit test_group::diffusers params::621277702
"""
UNet of the consistency decoder for the latents of Stable Diffusion.

https://huggingface.co/openai/consistency-decoder
"""

import torch
from diffusers import ConsistencyDecoderVAE

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    whole = ConsistencyDecoderVAE.from_pretrained("openai/consistency-decoder")
else:
    whole = ConsistencyDecoderVAE()
model = whole.decoder_unet
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 7, height, width),
    "timestep": torch.tensor([500]),
}

# Call the model
model(**inputs, return_dict=False)
