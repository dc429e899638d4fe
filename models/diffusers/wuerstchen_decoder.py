# labels: name::wuerstchen_decoder author::warp-ai task::text_to_image license::mit test_group::diffusers params::1055365280
"""
Decoder of Wuerstchen for images of 1024 x 1024.

https://huggingface.co/warp-ai/wuerstchen
"""

import torch
from diffusers.pipelines.deprecated.wuerstchen import WuerstchenDiffNeXt

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = WuerstchenDiffNeXt.from_pretrained(
        "warp-ai/wuerstchen", subfolder="decoder", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = WuerstchenDiffNeXt()
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "x": torch.randn(batch_size, 4, 256, 256, dtype=torch.bfloat16),
    "r": torch.full((batch_size,), 0.5, dtype=torch.bfloat16),
    "effnet": torch.randn(batch_size, 16, 24, 24, dtype=torch.bfloat16),
    "clip": torch.randn(batch_size, 77, 1024, dtype=torch.bfloat16),
}

# Call the model
model(**inputs)
