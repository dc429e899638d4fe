# labels: name::efficientnetv2_l author::timm task::image_classification license::apache-2.0 test_group::timm params::118515272
"""
efficientnetv2_l of timm, for images of 384 x 384.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/efficientnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=384, width=384)

# The model and its inputs
model = timm.create_model("efficientnetv2_l")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
