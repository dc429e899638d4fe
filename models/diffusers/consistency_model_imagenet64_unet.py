# labels: name::consistency_model_imagenet64_unet author::openai task::unconditional_image_generation license::mit test_group::diffusers params::295899267
"""
UNet of the consistency model for images of 64 x 64.

https://huggingface.co/openai/diffusers-cd_imagenet64_l2
"""

import torch
from diffusers import UNet2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = UNet2DModel.from_pretrained("openai/diffusers-cd_imagenet64_l2", subfolder="unet")
else:
    model = UNet2DModel(
        sample_size=64,
        down_block_types=(
            "ResnetDownsampleBlock2D",
            "AttnDownBlock2D",
            "AttnDownBlock2D",
            "AttnDownBlock2D",
        ),
        up_block_types=("AttnUpBlock2D", "AttnUpBlock2D", "AttnUpBlock2D", "ResnetUpsampleBlock2D"),
        block_out_channels=(192, 384, 576, 768),
        layers_per_block=3,
        downsample_type="resnet",
        upsample_type="resnet",
        attention_head_dim=64,
        attn_norm_num_groups=32,
        resnet_time_scale_shift="scale_shift",
        num_class_embeds=1000,
    )
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, 64, 64),
    "timestep": torch.tensor([500]),
    "class_labels": torch.randint(0, 1000, (batch_size,)),
}

# Call the model
model(**inputs, return_dict=False)
