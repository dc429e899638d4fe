# labels: name::detr_resnet_50 author::facebook task::object_detection license::apache-2.0 test_group::popular_on_huggingface params::41524768
"""
detr-resnet-50 of facebook, to find objects in pictures.

https://huggingface.co/facebook/detr-resnet-50
"""

import torch
from transformers import DetrConfig, DetrForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=1066
)

# The model and its inputs
config = DetrConfig(num_labels=91)
if pretrained:
    model = DetrForObjectDetection.from_pretrained("facebook/detr-resnet-50", dtype=torch.float32)
else:
    model = DetrForObjectDetection(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
