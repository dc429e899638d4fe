# labels: name::efficientnet_l2 author::timm task::image_classification license::apache-2.0 test_group::timm params::480309308
"""
efficientnet_l2 of timm, for images of 800 x 800.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/efficientnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=800, width=800)

# The model and its inputs
model = timm.create_model("efficientnet_l2")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
