# labels: name::tinynet_e author::timm task::image_classification license::apache-2.0 test_group::timm params::2042972
"""
tinynet_e of timm, for images of 106 x 106.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/efficientnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=106, width=106
)

# The model and its inputs
model = timm.create_model("tinynet_e", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
