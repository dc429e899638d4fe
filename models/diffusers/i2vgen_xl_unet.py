# labels: name::i2vgen_xl_unet author::alibaba task::image_to_video license::mit test_group::diffusers params::1420469224
"""
UNet of I2VGen-XL, for 16 frames.

https://huggingface.co/ali-vilab/i2vgen-xl
"""

import torch
from diffusers import I2VGenXLUNet

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=704, width=1280
)

# The model and its inputs
if pretrained:
    model = I2VGenXLUNet.from_pretrained(
        "ali-vilab/i2vgen-xl", subfolder="unet", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = I2VGenXLUNet(sample_size=32)
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, 16, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "fps": torch.full((batch_size,), 16),
    "image_latents": torch.randn(batch_size, 4, 16, height // 8, width // 8, dtype=torch.bfloat16),
    "image_embeddings": torch.randn(batch_size, 1024, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 77, 1024, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
