# labels: name::vit_h_14 author::google task::image_classification license::cc-by-nc-4.0 test_group::torch_hub params::633470440
"""
ViT-H-14 of torchvision, for images of 518 x 518.

https://github.com/pytorch/vision/blob/v0.26.0/torchvision/models/vision_transformer.py
"""

import torch
import torchvision

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
model = torchvision.models.get_model(
    "vit_h_14",
    weights="DEFAULT" if pretrained else None,
    image_size=518,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, 518, 518)}

# Call the model
model(**inputs)
