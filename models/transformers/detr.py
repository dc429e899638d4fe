# labels: name::detr author::meta task::object_detection license::apache-2.0 test_group::transformers params::41501895
"""
DetrForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/detr/modeling_detr.py
"""

import torch
from transformers import DetrConfig, DetrForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = DetrForObjectDetection.from_pretrained("facebook/detr-resnet-50", dtype=torch.float32)
else:
    model = DetrForObjectDetection(DetrConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
