# labels: name::eca_nfnet_l2 author::timm task::image_classification license::apache-2.0 test_group::timm params::56722348
"""
eca_nfnet_l2 of timm, for images of 320 x 320.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/nfnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=320, width=320
)

# The model and its inputs
model = timm.create_model("eca_nfnet_l2", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
