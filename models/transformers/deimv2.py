# labels: name::deimv2 author::intellindust task::object_detection license::apache-2.0 test_group::transformers params::29767510
"""
Deimv2ForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/deimv2/modeling_deimv2.py
"""

import torch
from transformers import Deimv2Config, Deimv2ForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
if pretrained:
    model = Deimv2ForObjectDetection.from_pretrained(
        "Intellindust/DEIMv2_HGNetv2_N_COCO", dtype=torch.float32
    )
else:
    model = Deimv2ForObjectDetection(Deimv2Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
