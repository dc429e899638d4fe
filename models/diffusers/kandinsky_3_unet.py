# labels: name::kandinsky_3_unet author::ai-forever task::text_to_image license::apache-2.0 test_group::diffusers params::3055348228
"""
UNet of Kandinsky 3.

https://huggingface.co/kandinsky-community/kandinsky-3
"""

import torch
from diffusers import Kandinsky3UNet

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = Kandinsky3UNet.from_pretrained(
        "kandinsky-community/kandinsky-3", subfolder="unet", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = Kandinsky3UNet()
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 128, 4096, dtype=torch.bfloat16),
    "encoder_attention_mask": torch.ones(batch_size, 128, dtype=torch.long),
}

# Call the model
model(**inputs, return_dict=False)
