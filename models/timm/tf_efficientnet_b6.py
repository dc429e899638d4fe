# labels: name::tf_efficientnet_b6 author::timm task::image_classification license::apache-2.0 test_group::timm params::43040704
"""
tf_efficientnet_b6 of timm, for images of 528 x 528.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/efficientnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=528, width=528
)

# The model and its inputs
model = timm.create_model("tf_efficientnet_b6", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
