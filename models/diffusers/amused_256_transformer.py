# labels: name::amused_256_transformer author::huggingface task::text_to_image license::openrail++ test_group::diffusers params::603537664
"""
U-ViT of aMUSEd 256.

https://huggingface.co/amused/amused-256
"""

import torch
from diffusers import UVit2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = UVit2DModel.from_pretrained("amused/amused-256", subfolder="transformer")
else:
    model = UVit2DModel(sample_size=16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, 8256, (batch_size, 16, 16)),
    "encoder_hidden_states": torch.randn(batch_size, 77, 768),
    "pooled_text_emb": torch.randn(batch_size, 768),
    "micro_conds": torch.tensor([[256.0, 256.0, 0.0, 0.0, 6.0]] * batch_size),
}

# Call the model
model(**inputs)
