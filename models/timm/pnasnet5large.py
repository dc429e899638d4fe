# labels: name::pnasnet5large author::google task::image_classification license::apache-2.0 test_group::timm params::86057668
"""
pnasnet5large of timm, for images of 331 x 331.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/pnasnet.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=331, width=331
)

# The model and its inputs
model = timm.create_model("pnasnet5large", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
