# labels: name::stable_diffusion_xl_base_unet author::stabilityai task::text_to_image license::openrail++ test_group::diffusers params::2567463684
"""
UNet of Stable Diffusion XL.

https://huggingface.co/stabilityai/stable-diffusion-xl-base-1.0
"""

import torch
from diffusers import UNet2DConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = UNet2DConditionModel.from_pretrained(
        "stabilityai/stable-diffusion-xl-base-1.0", subfolder="unet", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = UNet2DConditionModel(
        sample_size=128,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
        block_out_channels=(320, 640, 1280),
        attention_head_dim=(5, 10, 20),
        cross_attention_dim=2048,
        transformer_layers_per_block=(1, 2, 10),
        use_linear_projection=True,
        addition_embed_type="text_time",
        addition_time_embed_dim=256,
        projection_class_embeddings_input_dim=2816,
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 2048, dtype=torch.bfloat16),
    "added_cond_kwargs": {
        "text_embeds": torch.randn(batch_size, 1280, dtype=torch.bfloat16),
        "time_ids": torch.tensor([[height, width, 0, 0, height, width]] * batch_size),
    },
}

# Call the model
model(**inputs, return_dict=False)
