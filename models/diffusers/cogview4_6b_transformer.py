# labels: name::cogview4_6b_transformer author::zai-org task::text_to_image license::apache-2.0 test_group::diffusers params::6369118272
"""
Transformer of CogView4 6B.

https://huggingface.co/zai-org/CogView4-6B
"""

import torch
from diffusers import CogView4Transformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = CogView4Transformer2DModel.from_pretrained(
        "zai-org/CogView4-6B", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = CogView4Transformer2DModel(
        num_layers=28, attention_head_dim=128, num_attention_heads=32
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 16, height // 8, width // 8, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 224, 4096, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 500),
    "original_size": torch.tensor([[height, width]] * batch_size),
    "target_size": torch.tensor([[height, width]] * batch_size),
    "crop_coords": torch.zeros(batch_size, 2),
}

# Call the model
model(**inputs, return_dict=False)
