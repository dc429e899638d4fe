# labels: name::stable_diffusion_2_depth_unet author::stabilityai task::text_to_image license::openrail++ test_group::diffusers params::865913604
"""
UNet of Stable Diffusion 2 with depth.

https://huggingface.co/stabilityai/stable-diffusion-2-depth
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
        "stabilityai/stable-diffusion-2-depth", subfolder="unet"
    )
else:
    model = UNet2DConditionModel(
        sample_size=64,
        in_channels=5,
        attention_head_dim=(5, 10, 20, 20),
        cross_attention_dim=1024,
        use_linear_projection=True,
    )
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 5, height // 8, width // 8),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 1024),
}

# Call the model
model(**inputs, return_dict=False)
