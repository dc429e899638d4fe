# labels: name::conditional_detr author::microsoft task::object_detection license::apache-2.0 test_group::transformers params::43395528
"""
ConditionalDetrForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/conditional_detr/modeling_conditional_detr.py
"""

import torch
from transformers import ConditionalDetrConfig, ConditionalDetrForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = ConditionalDetrForObjectDetection.from_pretrained(
        "microsoft/conditional-detr-resnet-50", dtype=torch.float32
    )
else:
    model = ConditionalDetrForObjectDetection(ConditionalDetrConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
