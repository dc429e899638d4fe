# labels: name::wuerstchen_vqgan author::warp-ai task::image_to_image license::mit test_group::diffusers params::18406894
"""
VQGAN of Wuerstchen.

https://huggingface.co/warp-ai/wuerstchen
"""

import torch
from diffusers.pipelines.deprecated.wuerstchen import PaellaVQModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    model = PaellaVQModel.from_pretrained("warp-ai/wuerstchen", subfolder="vqgan")
else:
    model = PaellaVQModel()
model.eval()
inputs = {
    "sample": torch.randn(batch_size, 3, height, width),
}

# Call the model
model(**inputs, return_dict=False)
