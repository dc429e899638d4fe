# labels: name::csatv2_21m author::timm task::image_classification license::apache-2.0 test_group::timm params::20697785
"""
csatv2_21m of timm, for images of 640 x 640.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/csatv2.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
model = timm.create_model("csatv2_21m", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
