# labels: name::sana_1600m_1024_transformer author::nvidia task::text_to_image license::other test_group::diffusers params::1604462752
"""
Transformer of Sana 1.6B.

https://huggingface.co/Efficient-Large-Model/Sana_1600M_1024px_diffusers
"""

import torch
from diffusers import SanaTransformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = SanaTransformer2DModel.from_pretrained(
        "Efficient-Large-Model/Sana_1600M_1024px_diffusers",
        subfolder="transformer",
        torch_dtype=torch.bfloat16,
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = SanaTransformer2DModel()
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 32, height // 32, width // 32, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 300, 2304, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 500),
}

# Call the model
model(**inputs, return_dict=False)
