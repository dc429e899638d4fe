# labels: name::audioldm_s_full_v2_vae_decoder author::cvssp task::text_to_audio license::cc-by-nc-sa-4.0 test_group::diffusers params::32981505
"""
Decoder of the autoencoder of AudioLDM S v2, for ten seconds.

https://huggingface.co/cvssp/audioldm-s-full-v2
"""

import torch
from diffusers import AutoencoderKL

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    whole = AutoencoderKL.from_pretrained("cvssp/audioldm-s-full-v2", subfolder="vae")
else:
    whole = AutoencoderKL(
        in_channels=1,
        out_channels=1,
        down_block_types=("DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D"),
        up_block_types=("UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D"),
        block_out_channels=(128, 256, 512),
        layers_per_block=2,
        latent_channels=8,
        sample_size=512,
    )
model = whole.decoder
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 8, 256, 16),
}

# Call the model
model(**inputs)
