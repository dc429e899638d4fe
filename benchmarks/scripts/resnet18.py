# labels: name::resnet18 task::image
"""A ResNet-18 made from its configuration, with random weights."""

import torch
from transformers import ResNetConfig, ResNetForImageClassification

torch.manual_seed(0)
config = ResNetConfig(
    embedding_size=64,
    hidden_sizes=[64, 128, 256, 512],
    depths=[2, 2, 2, 2],
    layer_type="basic",
    num_labels=1000,
)
model = ResNetForImageClassification(config).eval()
with torch.no_grad():
    model(torch.rand(1, 3, 224, 224))
