# labels: name::amused_256_vqvae_encoder author::huggingface task::image_to_image license::openrail++ test_group::diffusers params::58693568
"""
Encoder of the VQGAN of aMUSEd 256.

https://huggingface.co/amused/amused-256
"""

import torch
from diffusers import VQModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    whole = VQModel.from_pretrained("amused/amused-256", subfolder="vqvae")
else:
    whole = VQModel(
        down_block_types=(
            "DownEncoderBlock2D",
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
            "UpDecoderBlock2D",
        ),
        block_out_channels=(128, 256, 256, 512, 768),
        layers_per_block=2,
        latent_channels=64,
        num_vq_embeddings=8192,
        mid_block_add_attention=False,
        lookup_from_codebook=True,
    )
model = whole.encoder
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, height, width),
}

# Call the model
model(**inputs)
