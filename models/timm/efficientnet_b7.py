# labels: name::efficientnet_b7 author::timm task::image_classification license::apache-2.0 test_group::timm params::66347960
"""
efficientnet_b7 of timm, for images of 600 x 600.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/efficientnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=600, width=600)

# The model and its inputs
model = timm.create_model("efficientnet_b7")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
