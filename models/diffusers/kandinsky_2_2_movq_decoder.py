# labels: name::kandinsky_2_2_movq_decoder author::ai-forever task::image_to_image license::apache-2.0 test_group::diffusers params::40369155
"""
Decoder of the MoVQ of Kandinsky 2.2.

https://huggingface.co/kandinsky-community/kandinsky-2-2-decoder
"""

import torch
from diffusers import VQModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    whole = VQModel.from_pretrained("kandinsky-community/kandinsky-2-2-decoder", subfolder="movq")
else:
    whole = VQModel(
        down_block_types=(
            "DownEncoderBlock2D",
            "DownEncoderBlock2D",
            "DownEncoderBlock2D",
            "AttnDownEncoderBlock2D",
        ),
        up_block_types=(
            "AttnUpDecoderBlock2D",
            "UpDecoderBlock2D",
            "UpDecoderBlock2D",
            "UpDecoderBlock2D",
        ),
        block_out_channels=(128, 256, 256, 512),
        layers_per_block=2,
        latent_channels=4,
        num_vq_embeddings=16384,
        vq_embed_dim=4,
        norm_type="spatial",
    )
model = whole.decoder
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 4, height // 8, width // 8),
    "latent_embeds": torch.randn(batch_size, 4, height // 8, width // 8),
}

# Call the model
model(**inputs)
