# labels: name::rt_detr author::pekingu task::object_detection license::apache-2.0 test_group::transformers params::42731082
"""
RTDetrForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/rt_detr/modeling_rt_detr.py
"""

import torch
from transformers import RTDetrConfig, RTDetrForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
if pretrained:
    model = RTDetrForObjectDetection.from_pretrained("PekingU/rtdetr_r50vd", dtype=torch.float32)
else:
    model = RTDetrForObjectDetection(RTDetrConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
