# labels: name::t2i_adapter_canny_sdxl author::TencentARC task::text_to_image license::apache-2.0 test_group::diffusers params::79028160
"""
T2I-Adapter of Stable Diffusion XL for edges.

https://huggingface.co/TencentARC/t2i-adapter-canny-sdxl-1.0
"""

import torch
from diffusers import T2IAdapter

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=1024, width=1024
)

# The model and its inputs
if pretrained:
    model = T2IAdapter.from_pretrained("TencentARC/t2i-adapter-canny-sdxl-1.0")
else:
    model = T2IAdapter(adapter_type="full_adapter_xl", downscale_factor=16)
model.eval()
inputs = {
    "x": torch.rand(batch_size, 3, height, width),
}

# Call the model
model(**inputs)
