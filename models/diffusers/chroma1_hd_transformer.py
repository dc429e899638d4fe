# labels: name::chroma1_hd_transformer author::lodestones task::text_to_image license::apache-2.0 test_group::diffusers params::8899983424
"""
Transformer of Chroma1-HD for images of 1024 x 1024.

https://huggingface.co/lodestones/Chroma1-HD
"""

import torch
from diffusers import ChromaTransformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = ChromaTransformer2DModel.from_pretrained(
        "lodestones/Chroma1-HD", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = ChromaTransformer2DModel()
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 4096, 64, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 512, 4096, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 0.5, dtype=torch.bfloat16),
    "img_ids": torch.cartesian_prod(torch.arange(1), torch.arange(64), torch.arange(64)),
    "txt_ids": torch.zeros(512, 3),
}

# Call the model
model(**inputs, return_dict=False)
