# labels: name::resnet_18 author::microsoft task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::11689512
"""
resnet-18 of microsoft, to classify pictures.

https://huggingface.co/microsoft/resnet-18
"""

import torch
from transformers import ResNetConfig, ResNetForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
config = ResNetConfig(
    hidden_sizes=[64, 128, 256, 512],
    depths=[2, 2, 2, 2],
    layer_type="basic",
    num_labels=1000,
)
if pretrained:
    model = ResNetForImageClassification.from_pretrained("microsoft/resnet-18", dtype=torch.float32)
else:
    model = ResNetForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
