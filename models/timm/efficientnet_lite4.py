# labels: name::efficientnet_lite4 author::timm task::image_classification license::apache-2.0 test_group::timm params::13006568
"""
efficientnet_lite4 of timm, for images of 380 x 380.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/efficientnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=380, width=380)

# The model and its inputs
model = timm.create_model("efficientnet_lite4")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
