# labels: name::pixart_sigma_xl_2_1024_transformer author::PixArt-alpha task::text_to_image license::openrail++ test_group::diffusers params::610856096
"""
Transformer of PixArt-Sigma.

https://huggingface.co/PixArt-alpha/PixArt-Sigma-XL-2-1024-MS
"""

import torch
from diffusers import PixArtTransformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = PixArtTransformer2DModel.from_pretrained(
        "PixArt-alpha/PixArt-Sigma-XL-2-1024-MS", subfolder="transformer"
    )
else:
    model = PixArtTransformer2DModel(
        sample_size=128,
        caption_channels=4096,
        interpolation_scale=2,
        use_additional_conditions=False,
    )
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 4, height // 8, width // 8),
    "encoder_hidden_states": torch.randn(batch_size, 300, 4096),
    "timestep": torch.full((batch_size,), 500),
}

# Call the model
model(**inputs, return_dict=False)
