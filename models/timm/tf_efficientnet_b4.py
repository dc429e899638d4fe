# labels: name::tf_efficientnet_b4 author::timm task::image_classification license::apache-2.0 test_group::timm params::19341616
"""
tf_efficientnet_b4 of timm, for images of 380 x 380.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/efficientnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=380, width=380
)

# The model and its inputs
model = timm.create_model("tf_efficientnet_b4", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
