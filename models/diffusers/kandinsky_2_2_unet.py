# labels: name::kandinsky_2_2_unet author::ai-forever task::text_to_image license::apache-2.0 test_group::diffusers params::1253057288
"""
UNet of Kandinsky 2.2.

https://huggingface.co/kandinsky-community/kandinsky-2-2-decoder
"""

import torch
from diffusers import UNet2DConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = UNet2DConditionModel.from_pretrained(
        "kandinsky-community/kandinsky-2-2-decoder", subfolder="unet", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = UNet2DConditionModel(
        sample_size=64,
        out_channels=8,
        down_block_types=(
            "ResnetDownsampleBlock2D",
            "SimpleCrossAttnDownBlock2D",
            "SimpleCrossAttnDownBlock2D",
            "SimpleCrossAttnDownBlock2D",
        ),
        mid_block_type="UNetMidBlock2DSimpleCrossAttn",
        up_block_types=(
            "SimpleCrossAttnUpBlock2D",
            "SimpleCrossAttnUpBlock2D",
            "SimpleCrossAttnUpBlock2D",
            "ResnetUpsampleBlock2D",
        ),
        block_out_channels=(384, 768, 1152, 1536),
        layers_per_block=3,
        cross_attention_dim=768,
        encoder_hid_dim=1280,
        encoder_hid_dim_type="image_proj",
        attention_head_dim=64,
        addition_embed_type="image",
        resnet_time_scale_shift="scale_shift",
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "added_cond_kwargs": {
        "image_embeds": torch.randn(batch_size, 1280, dtype=torch.bfloat16),
    },
}

# Call the model
model(**inputs, encoder_hidden_states=None, return_dict=False)
