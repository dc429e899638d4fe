# labels: name::deit_base_distilled_patch16_384 author::meta task::image_classification license::apache-2.0 test_group::timm params::87630032
"""
deit_base_distilled_patch16_384 of timm, for images of 384 x 384.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/deit.py
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
model = timm.create_model(
    "deit_base_distilled_patch16_384", pretrained=pretrained, img_size=(height, width)
)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
