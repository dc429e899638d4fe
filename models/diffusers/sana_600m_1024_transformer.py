# labels: name::sana_600m_1024_transformer author::nvidia task::text_to_image license::other test_group::diffusers params::591747872
"""
Transformer of Sana 0.6B.

https://huggingface.co/Efficient-Large-Model/Sana_600M_1024px_diffusers
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
        "Efficient-Large-Model/Sana_600M_1024px_diffusers", subfolder="transformer"
    )
else:
    model = SanaTransformer2DModel(
        num_attention_heads=36,
        num_layers=28,
        num_cross_attention_heads=16,
        cross_attention_head_dim=72,
        cross_attention_dim=1152,
    )
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 32, height // 32, width // 32),
    "encoder_hidden_states": torch.randn(batch_size, 300, 2304),
    "timestep": torch.full((batch_size,), 500),
}

# Call the model
model(**inputs, return_dict=False)
