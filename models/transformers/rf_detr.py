# labels: name::rf_detr author::roboflow task::object_detection license::apache-2.0 test_group::transformers params::31928324
"""
RfDetrForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/rf_detr/modeling_rf_detr.py
"""

import torch
from transformers import RfDetrConfig, RfDetrForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=560, width=560
)

# The model and its inputs
if pretrained:
    model = RfDetrForObjectDetection.from_pretrained("Roboflow/rf-detr-base", dtype=torch.float32)
else:
    model = RfDetrForObjectDetection(RfDetrConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
