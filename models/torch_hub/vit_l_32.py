# labels: name::vit_l_32 author::google task::image_classification license::bsd-3-clause test_group::torch_hub params::306535400
"""
ViT-L-32 of torchvision, for images of 224 x 224.

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
    "vit_l_32",
    weights="DEFAULT" if pretrained else None,
    image_size=224,
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, 224, 224)}

# Call the model
model(**inputs)
