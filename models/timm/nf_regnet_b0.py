# labels: name::nf_regnet_b0 author::timm task::image_classification license::apache-2.0 test_group::timm params::8764288
"""
nf_regnet_b0 of timm, for images of 192 x 192.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/nfnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=192, width=192)

# The model and its inputs
model = timm.create_model("nf_regnet_b0")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
