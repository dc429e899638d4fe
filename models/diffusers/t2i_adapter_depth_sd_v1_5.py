# labels: name::t2i_adapter_depth_sd_v1_5 author::TencentARC task::text_to_image license::apache-2.0 test_group::diffusers params::77369280
"""
T2I-Adapter of Stable Diffusion 1.5 for depth.

https://huggingface.co/TencentARC/t2iadapter_depth_sd15v2
"""

import torch
from diffusers import T2IAdapter

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = T2IAdapter.from_pretrained("TencentARC/t2iadapter_depth_sd15v2")
else:
    model = T2IAdapter()
model.eval()
inputs = {
    "x": torch.rand(batch_size, 3, height, width),
}

# Call the model
model(**inputs)
