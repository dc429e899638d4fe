# labels: name::raft_large author::princeton task::optical_flow license::bsd-3-clause test_group::torchvision params::5257536
"""
Raft-Large of torchvision, for images of 440 x 1024.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/optical_flow/raft.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=440, width=1024
)

# The model and its inputs
model = torchvision.models.get_model(
    "raft_large",
    weights="DEFAULT" if pretrained else None,
)
model.eval()
inputs = {
    "image1": 2 * torch.rand(batch_size, 3, height, width) - 1,
    "image2": 2 * torch.rand(batch_size, 3, height, width) - 1,
}

# Call the model
model(**inputs)
