# labels: name::ddpm_cifar10_32_unet author::google task::unconditional_image_generation license::apache-2.0 test_group::diffusers,sample params::35746307
"""
UNet of DDPM for images like those of CIFAR-10.

https://huggingface.co/google/ddpm-cifar10-32
"""

import torch
from diffusers import UNet2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = UNet2DModel.from_pretrained("google/ddpm-cifar10-32")
else:
    model = UNet2DModel(
        sample_size=32,
        down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "UpBlock2D", "AttnUpBlock2D", "UpBlock2D"),
        block_out_channels=(128, 256, 256, 256),
        downsample_padding=0,
        flip_sin_to_cos=False,
        freq_shift=1,
        norm_eps=1e-06,
        attention_head_dim=None,
    )
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, 32, 32),
    "timestep": torch.tensor([500]),
}

# Call the model
model(**inputs, return_dict=False)
