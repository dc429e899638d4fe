# labels: name::stable_diffusion_xl_vae_encoder author::stabilityai task::image_to_image license::openrail++ test_group::diffusers params::34163592
"""
Encoder of the autoencoder of Stable Diffusion XL.

https://huggingface.co/stabilityai/stable-diffusion-xl-base-1.0
"""

import torch
from diffusers import AutoencoderKL

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    whole = AutoencoderKL.from_pretrained(
        "stabilityai/stable-diffusion-xl-base-1.0", subfolder="vae"
    )
else:
    whole = AutoencoderKL(
        down_block_types=(
            "DownEncoderBlock2D",
            "DownEncoderBlock2D",
            "DownEncoderBlock2D",
            "DownEncoderBlock2D",
        ),
        up_block_types=(
            "UpDecoderBlock2D",
            "UpDecoderBlock2D",
            "UpDecoderBlock2D",
            "UpDecoderBlock2D",
        ),
        block_out_channels=(128, 256, 512, 512),
        layers_per_block=2,
        sample_size=1024,
    )
model = whole.encoder
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, height, width),
}

# Call the model, without what only gradients need
with torch.no_grad():
    model(**inputs)
