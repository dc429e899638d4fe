# labels: name::stable_cascade_decoder author::stabilityai task::text_to_image license::other test_group::diffusers params::1562941136
"""
UNet of the decoder of Stable Cascade for images of 1024 x 1024.

https://huggingface.co/stabilityai/stable-cascade
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
        "stabilityai/stable-cascade", subfolder="decoder", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = StableCascadeUNet(
        in_channels=4,
        out_channels=4,
        patch_size=2,
        conditioning_dim=1280,
        block_out_channels=(320, 640, 1280, 1280),
        num_attention_heads=(0, 0, 20, 20),
        down_num_layers_per_block=(2, 6, 28, 6),
        up_num_layers_per_block=(6, 28, 6, 2),
        down_blocks_repeat_mappers=(1, 1, 1, 1),
        up_blocks_repeat_mappers=(3, 3, 2, 2),
        block_types_per_layer=(
            ("SDCascadeResBlock", "SDCascadeTimestepBlock"),
            ("SDCascadeResBlock", "SDCascadeTimestepBlock"),
            ("SDCascadeResBlock", "SDCascadeTimestepBlock", "SDCascadeAttnBlock"),
            ("SDCascadeResBlock", "SDCascadeTimestepBlock", "SDCascadeAttnBlock"),
        ),
        effnet_in_channels=16,
        pixel_mapper_in_channels=3,
        dropout=(0, 0, 0.1, 0.1),
        timestep_conditioning_type=("sca",),
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, 256, 256, dtype=torch.bfloat16),
    "timestep_ratio": torch.full((batch_size,), 0.5, dtype=torch.bfloat16),
    "clip_text_pooled": torch.randn(batch_size, 1, 1280, dtype=torch.bfloat16),
    "effnet": torch.randn(batch_size, 16, 24, 24, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
