# labels: name::lw_detr author::annazhang task::object_detection license::apache-2.0 test_group::transformers params::14311172
"""
LwDetrForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/lw_detr/modeling_lw_detr.py
"""

import torch
from transformers import LwDetrConfig, LwDetrForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
if pretrained:
    model = LwDetrForObjectDetection.from_pretrained(
        "AnnaZhang/lwdetr_small_60e_coco", dtype=torch.float32
    )
else:
    settings = LwDetrConfig(projector_scale_factors=[1.0])
    model = LwDetrForObjectDetection(settings)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
