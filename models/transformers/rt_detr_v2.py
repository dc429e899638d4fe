# labels: name::rt_detr_v2 author::pekingu task::object_detection license::apache-2.0 test_group::transformers params::42731082
"""
RTDetrV2ForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/rt_detr_v2/modeling_rt_detr_v2.py
"""

import torch
from transformers import RTDetrV2Config, RTDetrV2ForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
if pretrained:
    model = RTDetrV2ForObjectDetection.from_pretrained("PekingU/rtdetr_r18vd", dtype=torch.float32)
else:
    model = RTDetrV2ForObjectDetection(RTDetrV2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
