# labels: name::lcm_dreamshaper_v7_unet author::SimianLuo task::text_to_image license::mit test_group::diffusers params::859602884
"""
UNet of LCM Dreamshaper v7, a latent consistency model of Stable Diffusion 1.5.

https://huggingface.co/SimianLuo/LCM_Dreamshaper_v7
"""

import torch
from diffusers import UNet2DConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=768, width=768
)

# The model and its inputs
if pretrained:
    model = UNet2DConditionModel.from_pretrained("SimianLuo/LCM_Dreamshaper_v7", subfolder="unet")
else:
    model = UNet2DConditionModel(sample_size=96, cross_attention_dim=768, time_cond_proj_dim=256)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 768),
    "timestep_cond": torch.randn(batch_size, 256),
}

# Call the model
model(**inputs, return_dict=False)
