# labels: name::convnext author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::27820128
"""
ConvNextModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/convnext/modeling_convnext.py
"""

import torch
from transformers import ConvNextConfig, ConvNextModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = ConvNextModel.from_pretrained("facebook/convnext-tiny-224", dtype=torch.float32)
else:
    model = ConvNextModel(ConvNextConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
