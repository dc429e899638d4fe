# labels: name::auraflow_transformer author::fal task::text_to_image license::apache-2.0 test_group::diffusers params::6842876928
"""
Transformer of AuraFlow.

https://huggingface.co/fal/AuraFlow
"""

import torch
from diffusers import AuraFlowTransformer2DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = AuraFlowTransformer2DModel.from_pretrained(
        "fal/AuraFlow", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = AuraFlowTransformer2DModel(pos_embed_max_size=4096)
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 4, height // 8, width // 8, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 256, 2048, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 0.5, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
