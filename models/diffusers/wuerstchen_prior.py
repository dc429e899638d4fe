# labels: name::wuerstchen_prior author::warp-ai task::text_to_image license::mit test_group::diffusers params::993636896
"""
Prior of Wuerstchen for images of 1024 x 1024.

https://huggingface.co/warp-ai/wuerstchen-prior
"""

import torch
from diffusers.pipelines.deprecated.wuerstchen import WuerstchenPrior

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = WuerstchenPrior.from_pretrained("warp-ai/wuerstchen-prior", subfolder="prior")
else:
    model = WuerstchenPrior(c=1536, c_cond=1280, depth=32, nhead=24)
model.eval()
inputs = {
    "x": torch.randn(batch_size, 16, 24, 24),
    "r": torch.full((batch_size,), 0.5),
    "c": torch.randn(batch_size, 77, 1280),
}

# Call the model
model(**inputs)
