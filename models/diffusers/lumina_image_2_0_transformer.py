# labels: name::lumina_image_2_0_transformer author::alpha-vllm task::text_to_image license::apache-2.0 test_group::diffusers params::2609769152
"""
Transformer of Lumina-Image 2.0.

https://huggingface.co/Alpha-VLLM/Lumina-Image-2.0
"""

import torch
from diffusers import Lumina2Transformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = Lumina2Transformer2DModel.from_pretrained(
        "Alpha-VLLM/Lumina-Image-2.0", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = Lumina2Transformer2DModel(cap_feat_dim=2304)
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 16, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 0.5, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 256, 2304, dtype=torch.bfloat16),
    "encoder_attention_mask": torch.ones(batch_size, 256, dtype=torch.bool),
}

# Call the model
model(**inputs, return_dict=False)
