# labels: name::stable_diffusion_3_medium_transformer author::stabilityai task::text_to_image license::other test_group::diffusers params::2028328000
"""
Transformer of Stable Diffusion 3 Medium.

https://huggingface.co/stabilityai/stable-diffusion-3-medium-diffusers
"""

import torch
from diffusers import SD3Transformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = SD3Transformer2DModel.from_pretrained(
        "stabilityai/stable-diffusion-3-medium-diffusers",
        subfolder="transformer",
        torch_dtype=torch.bfloat16,
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = SD3Transformer2DModel(
        num_layers=24, num_attention_heads=24, caption_projection_dim=1536, pos_embed_max_size=192
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 16, height // 8, width // 8, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 333, 4096, dtype=torch.bfloat16),
    "pooled_projections": torch.randn(batch_size, 2048, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 500),
}

# Call the model
model(**inputs, return_dict=False)
