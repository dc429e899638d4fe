# labels: name::animatediff_v1_5_2_unet author::guoyww task::text_to_video license::apache-2.0 test_group::diffusers params::1312730244
"""
UNet of Stable Diffusion 1.5 with the motion modules of AnimateDiff.

https://huggingface.co/guoyww/animatediff-motion-adapter-v1-5-2
"""

import torch
from diffusers import MotionAdapter, UNet2DConditionModel, UNetMotionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    unet = UNet2DConditionModel.from_pretrained(
        "stable-diffusion-v1-5/stable-diffusion-v1-5", subfolder="unet"
    )
    adapter = MotionAdapter.from_pretrained("guoyww/animatediff-motion-adapter-v1-5-2")
    model = UNetMotionModel.from_unet2d(unet, adapter).to(torch.bfloat16)
else:
    torch.set_default_dtype(torch.bfloat16)
    model = UNetMotionModel(sample_size=64, cross_attention_dim=768)
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, 16, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(16 * batch_size, 77, 768, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
