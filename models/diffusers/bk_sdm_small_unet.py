# labels: name::bk_sdm_small_unet author::nota-ai task::text_to_image license::creativeml-openrail-m test_group::diffusers params::482346884
"""
UNet of BK-SDM Small, a Stable Diffusion with blocks removed.

https://huggingface.co/nota-ai/bk-sdm-small
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
    model = UNet2DConditionModel.from_pretrained("nota-ai/bk-sdm-small", subfolder="unet")
else:
    model = UNet2DConditionModel(
        sample_size=64, mid_block_type=None, layers_per_block=1, cross_attention_dim=768
    )
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8),
    "timestep": torch.tensor([500]),
    "encoder_hidden_states": torch.randn(batch_size, 77, 768),
}

# Call the model
model(**inputs, return_dict=False)
