# labels: name::mvitv2_small_cls author::meta task::image_classification license::apache-2.0 test_group::timm params::34870312
"""
mvitv2_small_cls of timm, for images of 224 x 224.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/mvitv2.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = timm.create_model("mvitv2_small_cls")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, 224, 224)}

# Call the model
model(**inputs)
