# labels: name::mvitv2_huge_cls author::meta task::image_classification license::apache-2.0 test_group::timm params::694804128
"""
mvitv2_huge_cls of timm, for images of 224 x 224.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/mvitv2.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
model = timm.create_model("mvitv2_huge_cls", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, 224, 224)}

# Call the model
model(**inputs)
