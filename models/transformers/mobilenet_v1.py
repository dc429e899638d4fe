# labels: name::mobilenet_v1 author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::3206976
"""
MobileNetV1Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mobilenet_v1/modeling_mobilenet_v1.py
"""

import torch
from transformers import MobileNetV1Config, MobileNetV1Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = MobileNetV1Model.from_pretrained("google/mobilenet_v1_1.0_224", dtype=torch.float32)
else:
    model = MobileNetV1Model(MobileNetV1Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
