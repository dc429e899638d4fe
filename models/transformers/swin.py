# labels: name::swin author::microsoft task::image_feature_extraction license::apache-2.0 test_group::transformers params::27519354
"""
SwinModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/swin/modeling_swin.py
"""

import torch
from transformers import SwinConfig, SwinModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = SwinModel.from_pretrained("microsoft/swin-tiny-patch4-window7-224", dtype=torch.float32)
else:
    model = SwinModel(SwinConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
