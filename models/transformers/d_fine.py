# labels: name::d_fine author::ustc-community task::object_detection license::apache-2.0 test_group::transformers params::31083862
"""
DFineForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/d_fine/modeling_d_fine.py
"""

import torch
from transformers import DFineConfig, DFineForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
if pretrained:
    model = DFineForObjectDetection.from_pretrained(
        "ustc-community/dfine-xlarge-coco", dtype=torch.float32
    )
else:
    model = DFineForObjectDetection(DFineConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
