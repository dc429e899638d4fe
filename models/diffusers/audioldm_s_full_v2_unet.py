# labels: name::audioldm_s_full_v2_unet author::cvssp task::text_to_audio license::cc-by-nc-sa-4.0 test_group::diffusers params::185036552
"""
UNet of AudioLDM S v2, for ten seconds.

https://huggingface.co/cvssp/audioldm-s-full-v2
"""

import torch
from diffusers import UNet2DConditionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = UNet2DConditionModel.from_pretrained("cvssp/audioldm-s-full-v2", subfolder="unet")
else:
    model = UNet2DConditionModel(
        sample_size=128,
        in_channels=8,
        out_channels=8,
        down_block_types=(
            "DownBlock2D",
            "CrossAttnDownBlock2D",
            "CrossAttnDownBlock2D",
            "CrossAttnDownBlock2D",
        ),
        up_block_types=(
            "CrossAttnUpBlock2D",
            "CrossAttnUpBlock2D",
            "CrossAttnUpBlock2D",
            "UpBlock2D",
        ),
        block_out_channels=(128, 256, 384, 640),
        cross_attention_dim=(128, 256, 384, 640),
        class_embed_type="simple_projection",
        projection_class_embeddings_input_dim=512,
        class_embeddings_concat=True,
    )
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 8, 256, 16),
    "timestep": torch.tensor([500]),
    "class_labels": torch.randn(batch_size, 512),
}

# Call the model
model(**inputs, encoder_hidden_states=None, return_dict=False)
