# labels: name::controlnet_canny_sd_v1_5 author::lllyasviel task::text_to_image license::openrail test_group::diffusers params::361279120
"""
ControlNet of Stable Diffusion 1.5 for edges.

https://huggingface.co/lllyasviel/sd-controlnet-canny
"""

import torch
from diffusers import ControlNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = ControlNetModel.from_pretrained("lllyasviel/sd-controlnet-canny")
else:
    model = ControlNetModel(cross_attention_dim=768)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 768),
    "controlnet_cond": torch.rand(batch_size, 3, height, width),
}

# Call the model
model(**inputs, return_dict=False)
