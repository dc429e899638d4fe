# labels: name::stable_video_diffusion_xt_unet author::stabilityai task::image_to_video license::other test_group::diffusers params::1524623082
"""
UNet of Stable Video Diffusion XT, for 25 frames.

https://huggingface.co/stabilityai/stable-video-diffusion-img2vid-xt
"""

import torch
from diffusers import UNetSpatioTemporalConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=576, width=1024
)

# The model and its inputs
if pretrained:
    model = UNetSpatioTemporalConditionModel.from_pretrained(
        "stabilityai/stable-video-diffusion-img2vid-xt",
        subfolder="unet",
        torch_dtype=torch.bfloat16,
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = UNetSpatioTemporalConditionModel(sample_size=96)
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 25, 8, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 1, 1024, dtype=torch.bfloat16),
    "added_time_ids": torch.tensor([[6, 127, 0]] * batch_size),
}

# Call the model, without what only gradients need
with torch.no_grad():
    model(**inputs, return_dict=False)
