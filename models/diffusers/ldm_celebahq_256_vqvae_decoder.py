# labels: name::ldm_celebahq_256_vqvae_decoder author::CompVis task::image_to_image license::apache-2.0 test_group::diffusers params::32960771
"""
Decoder of the autoencoder of the latent diffusion model for faces.

https://huggingface.co/CompVis/ldm-celebahq-256
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
    whole = VQModel.from_pretrained("CompVis/ldm-celebahq-256", subfolder="vqvae")
else:
    whole = VQModel(
        down_block_types=("DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D"),
        up_block_types=("UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D"),
        block_out_channels=(128, 256, 512),
        layers_per_block=2,
        num_vq_embeddings=8192,
    )
model = whole.decoder
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, height // 4, width // 4),
}

# Call the model
model(**inputs)
