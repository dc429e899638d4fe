# labels: name::davit_base_fl author::microsoft task::image_feature_extraction license::apache-2.0 test_group::timm params::90370048
"""
davit_base_fl of timm, for images of 768 x 768.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/davit.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=768, width=768
)

# The model and its inputs
model = timm.create_model("davit_base_fl", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
