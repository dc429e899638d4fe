# labels: name::sana_vae_decoder author::mit-han-lab task::image_to_image license::other test_group::diffusers params::159223171
"""
Decoder of the deep compression autoencoder of Sana.

https://huggingface.co/Efficient-Large-Model/Sana_1600M_1024px_diffusers
"""

import torch
from diffusers import AutoencoderDC

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    whole = AutoencoderDC.from_pretrained(
        "Efficient-Large-Model/Sana_1600M_1024px_diffusers", subfolder="vae"
    )
else:
    whole = AutoencoderDC(
        latent_channels=32,
        encoder_block_types=(
            "ResBlock",
            "ResBlock",
            "ResBlock",
            "EfficientViTBlock",
            "EfficientViTBlock",
            "EfficientViTBlock",
        ),
        decoder_block_types=(
            "ResBlock",
            "ResBlock",
            "ResBlock",
            "EfficientViTBlock",
            "EfficientViTBlock",
            "EfficientViTBlock",
        ),
        downsample_block_type="conv",
        upsample_block_type="interpolate",
    )
model = whole.decoder
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 32, height // 32, width // 32),
}

# Call the model, without what only gradients need
with torch.no_grad():
    model(**inputs)
