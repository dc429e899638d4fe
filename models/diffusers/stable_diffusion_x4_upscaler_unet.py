# labels: name::stable_diffusion_x4_upscaler_unet author::stabilityai task::image_to_image license::openrail++ test_group::diffusers params::473398020
"""
UNet of the Stable Diffusion 2 upscaler, for images of a quarter of the size.

https://huggingface.co/stabilityai/stable-diffusion-x4-upscaler
"""

import torch
from diffusers import UNet2DConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = UNet2DConditionModel.from_pretrained(
        "stabilityai/stable-diffusion-x4-upscaler", subfolder="unet"
    )
else:
    model = UNet2DConditionModel(
        sample_size=128,
        in_channels=7,
        down_block_types=(
            "DownBlock2D",
            "CrossAttnDownBlock2D",
            "CrossAttnDownBlock2D",
            "CrossAttnDownBlock2D",
        ),
        up_block_types=(
            "CrossAttnUpBlock2D",
            "CrossAttnUpBlock2D",
            "CrossAttnUpBlock2D",
            "UpBlock2D",
        ),
        block_out_channels=(256, 512, 512, 1024),
        attention_head_dim=8,
        cross_attention_dim=1024,
        only_cross_attention=(True, True, True, False),
        use_linear_projection=True,
        num_class_embeds=1000,
    )
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 7, height // 4, width // 4),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 1024),
    "class_labels": torch.full((batch_size,), 20),
}

# Call the model
model(**inputs, return_dict=False)
