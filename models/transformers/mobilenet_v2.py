# labels: name::mobilenet_v2 author::google task::image_feature_extraction license::apache-2.0 test_group::transformers,sample params::2223872
"""
MobileNetV2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mobilenet_v2/modeling_mobilenet_v2.py
"""

import torch
from transformers import MobileNetV2Config, MobileNetV2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = MobileNetV2Model.from_pretrained("google/mobilenet_v2_1.0_224", dtype=torch.float32)
else:
    model = MobileNetV2Model(MobileNetV2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
