# labels: name::ldm_celebahq_256_unet author::CompVis task::unconditional_image_generation license::apache-2.0 test_group::diffusers params::274056163
"""
UNet of the latent diffusion model for faces.

https://huggingface.co/CompVis/ldm-celebahq-256
"""

import torch
from diffusers import UNet2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = UNet2DModel.from_pretrained("CompVis/ldm-celebahq-256", subfolder="unet")
else:
    model = UNet2DModel(sample_size=64, attention_head_dim=32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, 64, 64),
    "timestep": torch.tensor([500]),
}

# Call the model
model(**inputs, return_dict=False)
