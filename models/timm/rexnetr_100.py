# labels: name::rexnetr_100 author::naver task::image_classification license::mit test_group::timm params::4883304
"""
rexnetr_100 of timm, for images of 224 x 224.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/rexnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = timm.create_model("rexnetr_100")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
