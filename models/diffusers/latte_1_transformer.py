# labels: name::latte_1_transformer author::maxin-cn task::text_to_video license::apache-2.0 test_group::diffusers params::1057246880
"""
Transformer of Latte, for 16 frames of 512 x 512.

https://huggingface.co/maxin-cn/Latte-1
"""

import torch
from diffusers import LatteTransformer3DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = LatteTransformer3DModel.from_pretrained(
        "maxin-cn/Latte-1", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = LatteTransformer3DModel(
        attention_head_dim=72,
        in_channels=4,
        out_channels=8,
        num_layers=28,
        cross_attention_dim=1152,
        attention_bias=True,
        patch_size=2,
        activation_fn="gelu-approximate",
        num_embeds_ada_norm=1000,
        norm_type="ada_norm_single",
        norm_elementwise_affine=False,
        norm_eps=1e-06,
        caption_channels=4096,
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 4, 16, 64, 64, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 500),
    "encoder_hidden_states": torch.randn(batch_size, 120, 4096, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, return_dict=False)
