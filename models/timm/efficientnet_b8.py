# labels: name::efficientnet_b8 author::timm task::image_classification license::apache-2.0 test_group::timm params::87413142
"""
efficientnet_b8 of timm, for images of 672 x 672.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/efficientnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=672, width=672)

# The model and its inputs
model = timm.create_model("efficientnet_b8")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
