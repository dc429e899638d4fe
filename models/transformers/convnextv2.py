# labels: name::convnextv2 author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::27866496
"""
ConvNextV2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/convnextv2/modeling_convnextv2.py
"""

import torch
from transformers import ConvNextV2Config, ConvNextV2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = ConvNextV2Model.from_pretrained("facebook/convnextv2-tiny-1k-224", dtype=torch.float32)
else:
    model = ConvNextV2Model(ConvNextV2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
