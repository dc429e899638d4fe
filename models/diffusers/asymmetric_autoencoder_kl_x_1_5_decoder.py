# labels: name::asymmetric_autoencoder_kl_x_1_5_decoder author::cross-attention task::image_to_image license::other test_group::diffusers params::160136835
"""
Decoder of the asymmetric autoencoder for filling in with Stable Diffusion.

https://huggingface.co/cross-attention/asymmetric-autoencoder-kl-x-1-5
"""

import torch
from diffusers import AsymmetricAutoencoderKL

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    whole = AsymmetricAutoencoderKL.from_pretrained(
        "cross-attention/asymmetric-autoencoder-kl-x-1-5"
    )
else:
    whole = AsymmetricAutoencoderKL(
        down_block_types=(
            "DownEncoderBlock2D",
            "DownEncoderBlock2D",
            "DownEncoderBlock2D",
            "DownEncoderBlock2D",
        ),
        down_block_out_channels=(128, 256, 512, 512),
        layers_per_down_block=2,
        up_block_types=(
            "UpDecoderBlock2D",
            "UpDecoderBlock2D",
            "UpDecoderBlock2D",
            "UpDecoderBlock2D",
        ),
        up_block_out_channels=(192, 384, 768, 768),
        layers_per_up_block=3,
        sample_size=256,
    )
model = whole.decoder
model.eval()
inputs = {
    "z": torch.randn(batch_size, 4, height // 8, width // 8),
    "image": torch.randn(batch_size, 3, height, width),
    "mask": torch.randint(0, 2, (batch_size, 1, height, width)).float(),
}

# Call the model
model(**inputs)
