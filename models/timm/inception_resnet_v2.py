# labels: name::inception_resnet_v2 author::google task::image_classification license::apache-2.0 test_group::timm params::55843464
"""
inception_resnet_v2 of timm, for images of 299 x 299.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/inception_resnet_v2.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=299, width=299
)

# The model and its inputs
model = timm.create_model("inception_resnet_v2", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
