# labels: name::test_vit4 author::timm task::image_classification license::apache-2.0 test_group::timm params::1020520
"""
test_vit4 of timm, for images of 160 x 160.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/vision_transformer.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=160, width=160)

# The model and its inputs
model = timm.create_model("test_vit4")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
