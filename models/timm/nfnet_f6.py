# labels: name::nfnet_f6 author::timm task::image_classification license::apache-2.0 test_group::timm params::438359032
"""
nfnet_f6 of timm, for images of 448 x 448.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/nfnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=448, width=448)

# The model and its inputs
model = timm.create_model("nfnet_f6")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
