# labels: name::test_convnext3 author::meta task::image_classification license::apache-2.0 test_group::timm params::468840
"""
test_convnext3 of timm, for images of 160 x 160.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/convnext.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=160, width=160
)

# The model and its inputs
model = timm.create_model("test_convnext3", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
