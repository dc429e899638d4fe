# labels: name::mobilenetv5_300m author::timm task::image_feature_extraction license::gemma test_group::timm params::294126912
"""
mobilenetv5_300m of timm, for images of 768 x 768.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/mobilenetv5.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=768, width=768
)

# The model and its inputs
model = timm.create_model("mobilenetv5_300m", pretrained=pretrained)
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
