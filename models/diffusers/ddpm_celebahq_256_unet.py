# labels: name::ddpm_celebahq_256_unet author::google task::unconditional_image_generation license::apache-2.0 test_group::diffusers params::113673219
"""
UNet of DDPM for faces.

https://huggingface.co/google/ddpm-celebahq-256
"""

import torch
from diffusers import UNet2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = UNet2DModel.from_pretrained("google/ddpm-celebahq-256")
else:
    model = UNet2DModel(
        sample_size=256,
        down_block_types=(
            "DownBlock2D",
            "DownBlock2D",
            "DownBlock2D",
            "DownBlock2D",
            "AttnDownBlock2D",
            "DownBlock2D",
        ),
        up_block_types=(
            "UpBlock2D",
            "AttnUpBlock2D",
            "UpBlock2D",
            "UpBlock2D",
            "UpBlock2D",
            "UpBlock2D",
        ),
        block_out_channels=(128, 128, 256, 256, 512, 512),
        downsample_padding=0,
        flip_sin_to_cos=False,
        freq_shift=1,
        norm_eps=1e-06,
        attention_head_dim=None,
    )
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, 256, 256),
    "timestep": torch.tensor([500]),
}

# Call the model
model(**inputs, return_dict=False)
