# labels: name::stable_cascade_prior author::stabilityai task::text_to_image license::other test_group::diffusers params::3589103632
"""
UNet of the prior of Stable Cascade for images of 1024 x 1024.

https://huggingface.co/stabilityai/stable-cascade-prior
"""

import torch
from diffusers import StableCascadeUNet

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = StableCascadeUNet.from_pretrained(
        "stabilityai/stable-cascade-prior", subfolder="prior", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = StableCascadeUNet(
        clip_text_in_channels=1280, clip_image_in_channels=768, switch_level=(False,)
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 16, 24, 24, dtype=torch.bfloat16),
    "timestep_ratio": torch.full((batch_size,), 0.5, dtype=torch.bfloat16),
    "clip_text_pooled": torch.randn(batch_size, 1, 1280, dtype=torch.bfloat16),
    "clip_text": torch.randn(batch_size, 77, 1280, dtype=torch.bfloat16),
    "clip_img": torch.randn(batch_size, 1, 768, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
