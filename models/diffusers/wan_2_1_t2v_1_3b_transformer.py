# labels: name::wan_2_1_t2v_1_3b_transformer author::alibaba task::text_to_video license::apache-2.0 test_group::diffusers params::1418996800
"""
Transformer of Wan 2.1 1.3B, for 81 frames.

https://huggingface.co/Wan-AI/Wan2.1-T2V-1.3B-Diffusers
"""

import torch
from diffusers import WanTransformer3DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=480, width=832
)

# The model and its inputs
if pretrained:
    model = WanTransformer3DModel.from_pretrained(
        "Wan-AI/Wan2.1-T2V-1.3B-Diffusers", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = WanTransformer3DModel(num_attention_heads=12, ffn_dim=8960, num_layers=30)
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 16, 21, height // 8, width // 8, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 500),
    "encoder_hidden_states": torch.randn(batch_size, 512, 4096, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
