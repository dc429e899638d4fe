# labels: name::dit_xl_2_256_transformer author::meta task::unconditional_image_generation license::cc-by-nc-4.0 test_group::diffusers params::749826464
"""
Transformer of DiT-XL/2 for images of 256 x 256.

https://huggingface.co/facebook/DiT-XL-2-256
"""

import torch
from diffusers import DiTTransformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = DiTTransformer2DModel.from_pretrained("facebook/DiT-XL-2-256", subfolder="transformer")
else:
    model = DiTTransformer2DModel(sample_size=32, out_channels=8)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 4, 32, 32),
    "timestep": torch.full((batch_size,), 500),
    "class_labels": torch.randint(0, 1000, (batch_size,)),
}

# Call the model
model(**inputs, return_dict=False)
