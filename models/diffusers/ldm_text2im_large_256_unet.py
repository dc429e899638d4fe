# labels: name::ldm_text2im_large_256_unet author::CompVis task::text_to_image license::apache-2.0 test_group::diffusers params::872300484
"""
UNet of the latent diffusion model for text.

https://huggingface.co/CompVis/ldm-text2im-large-256
"""

import torch
from diffusers import UNet2DConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    model = UNet2DConditionModel.from_pretrained("CompVis/ldm-text2im-large-256", subfolder="unet")
else:
    model = UNet2DConditionModel(sample_size=32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 1280),
}

# Call the model
model(**inputs, return_dict=False)
