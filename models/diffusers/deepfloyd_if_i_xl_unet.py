# labels: name::deepfloyd_if_i_xl_unet author::deepfloyd task::text_to_image license::other test_group::diffusers params::4304695110
"""
UNet of the first stage of DeepFloyd IF XL, for images of 64 x 64.

https://huggingface.co/DeepFloyd/IF-I-XL-v1.0
"""

import torch
from diffusers import UNet2DConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = UNet2DConditionModel.from_pretrained(
        "DeepFloyd/IF-I-XL-v1.0", subfolder="unet", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = UNet2DConditionModel(
        sample_size=64,
        in_channels=3,
        out_channels=6,
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
        layers_per_block=3,
        act_fn="gelu",
        attention_head_dim=64,
        encoder_hid_dim=4096,
        encoder_hid_dim_type="text_proj",
        addition_embed_type="text",
        cross_attention_norm="group_norm",
        resnet_time_scale_shift="scale_shift",
        resnet_skip_time_act=True,
        resnet_out_scale_factor=1.41421,
        time_embedding_act_fn="gelu",
        block_out_channels=(704, 1408, 2112, 2816),
        cross_attention_dim=2816,
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, 64, 64, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 4096, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
