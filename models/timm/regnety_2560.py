# labels: name::regnety_2560 author::meta task::image_classification license::seer-license test_group::timm params::1282601138
"""
regnety_2560 of timm, for images of 384 x 384.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/regnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=384, width=384
)

# The model and its inputs
model = timm.create_model("regnety_2560", pretrained=pretrained, dtype=torch.bfloat16)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width, dtype=torch.bfloat16)}

# Call the model
model(**inputs)
