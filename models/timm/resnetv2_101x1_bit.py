# labels: name::resnetv2_101x1_bit author::timm task::image_classification license::apache-2.0 test_group::timm params::44541480
"""
resnetv2_101x1_bit of timm, for images of 448 x 448.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/resnetv2.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=448, width=448
)

# The model and its inputs
model = timm.create_model("resnetv2_101x1_bit", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
