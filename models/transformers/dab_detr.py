# labels: name::dab_detr author::idea-research task::object_detection license::apache-2.0 test_group::transformers params::43648644
"""
DabDetrForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dab_detr/modeling_dab_detr.py
"""

import torch
from transformers import DabDetrConfig, DabDetrForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = DabDetrForObjectDetection.from_pretrained(
        "IDEA-Research/dab-detr-resnet-50", dtype=torch.float32
    )
else:
    model = DabDetrForObjectDetection(DabDetrConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
