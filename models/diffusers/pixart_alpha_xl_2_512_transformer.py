# labels: name::pixart_alpha_xl_2_512_transformer author::PixArt-alpha task::text_to_image license::openrail++ test_group::diffusers params::610856096
"""
Transformer of PixArt-alpha.

https://huggingface.co/PixArt-alpha/PixArt-XL-2-512x512
"""

import torch
from diffusers import PixArtTransformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = PixArtTransformer2DModel.from_pretrained(
        "PixArt-alpha/PixArt-XL-2-512x512", subfolder="transformer"
    )
else:
    model = PixArtTransformer2DModel(sample_size=64, caption_channels=4096)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 4, height // 8, width // 8),
    "encoder_hidden_states": torch.randn(batch_size, 120, 4096),
    "timestep": torch.full((batch_size,), 500),
}

# Call the model
model(**inputs, return_dict=False)
