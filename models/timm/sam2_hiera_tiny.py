# labels: name::sam2_hiera_tiny author::meta task::image_feature_extraction license::apache-2.0 test_group::timm params::26851008
"""
sam2_hiera_tiny of timm, for images of 896 x 896.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/hieradet_sam2.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=896, width=896
)

# The model and its inputs
model = timm.create_model("sam2_hiera_tiny", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
