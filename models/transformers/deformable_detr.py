# labels: name::deformable_detr author::sensetime task::object_detection license::apache-2.0 test_group::transformers params::40046792
"""
DeformableDetrForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/deformable_detr/modeling_deformable_detr.py
"""

import torch
from transformers import DeformableDetrConfig, DeformableDetrForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = DeformableDetrForObjectDetection.from_pretrained(
        "SenseTime/deformable-detr", dtype=torch.float32
    )
else:
    model = DeformableDetrForObjectDetection(DeformableDetrConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
