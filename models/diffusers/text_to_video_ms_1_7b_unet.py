# labels: name::text_to_video_ms_1_7b_unet author::alibaba task::text_to_video license::cc-by-nc-4.0 test_group::diffusers params::1411233860
"""
UNet of the ModelScope text-to-video model, for 16 frames.

https://huggingface.co/ali-vilab/text-to-video-ms-1.7b
"""

import torch
from diffusers import UNet3DConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    model = UNet3DConditionModel.from_pretrained(
        "ali-vilab/text-to-video-ms-1.7b", subfolder="unet", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = UNet3DConditionModel(sample_size=32)
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, 16, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 1024, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
