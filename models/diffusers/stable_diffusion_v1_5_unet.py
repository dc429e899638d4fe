# labels: name::stable_diffusion_v1_5_unet author::runwayml task::text_to_image license::creativeml-openrail-m test_group::diffusers params::859520964
"""
UNet of Stable Diffusion 1.5.

https://huggingface.co/stable-diffusion-v1-5/stable-diffusion-v1-5
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
        "stable-diffusion-v1-5/stable-diffusion-v1-5", subfolder="unet"
    )
else:
    model = UNet2DConditionModel(sample_size=64, cross_attention_dim=768)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 768),
}

# Call the model
model(**inputs, return_dict=False)
