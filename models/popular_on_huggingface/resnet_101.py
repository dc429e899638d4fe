# labels: name::resnet_101 author::microsoft task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::44549160
"""
resnet-101 of microsoft, to classify pictures.

https://huggingface.co/microsoft/resnet-101
"""

import torch
from transformers import ResNetConfig, ResNetForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
config = ResNetConfig(depths=[3, 4, 23, 3], num_labels=1000)
if pretrained:
    model = ResNetForImageClassification.from_pretrained(
        "microsoft/resnet-101", dtype=torch.float32
    )
else:
    model = ResNetForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
