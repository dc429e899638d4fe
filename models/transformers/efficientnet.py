# labels: name::efficientnet author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::63786960
"""
EfficientNetModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/efficientnet/modeling_efficientnet.py
"""

import torch
from transformers import EfficientNetConfig, EfficientNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=600, width=600
)

# The model and its inputs
if pretrained:
    model = EfficientNetModel.from_pretrained("google/efficientnet-b7", dtype=torch.float32)
else:
    model = EfficientNetModel(EfficientNetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
