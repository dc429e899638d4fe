# labels: name::stable_diffusion_v1_5_vae_decoder author::runwayml task::image_to_image license::creativeml-openrail-m test_group::diffusers params::49490179
"""
Decoder of the autoencoder of Stable Diffusion 1.5.

https://huggingface.co/stable-diffusion-v1-5/stable-diffusion-v1-5
"""

import torch
from diffusers import AutoencoderKL

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    whole = AutoencoderKL.from_pretrained(
        "stable-diffusion-v1-5/stable-diffusion-v1-5", subfolder="vae"
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
        sample_size=512,
    )
model = whole.decoder
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8),
}

# Call the model
model(**inputs)
