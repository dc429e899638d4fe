# labels: name::cogvideox_2b_transformer author::zai-org task::text_to_video license::apache-2.0 test_group::diffusers params::1693783872
"""
Transformer of CogVideoX 2B, for 49 frames of 480 x 720.

https://huggingface.co/zai-org/CogVideoX-2b
"""

import torch
from diffusers import CogVideoXTransformer3DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = CogVideoXTransformer3DModel.from_pretrained(
        "zai-org/CogVideoX-2b", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = CogVideoXTransformer3DModel()
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 13, 16, 60, 90, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 226, 4096, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 500),
}

# Call the model
model(**inputs, return_dict=False)
