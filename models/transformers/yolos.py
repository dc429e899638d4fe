# labels: name::yolos author::hustvl task::object_detection license::apache-2.0 test_group::transformers params::104947975
"""
YolosForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/yolos/modeling_yolos.py
"""

import torch
from transformers import YolosConfig, YolosForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=864
)

# The model and its inputs
if pretrained:
    model = YolosForObjectDetection.from_pretrained("hustvl/yolos-base", dtype=torch.float32)
else:
    model = YolosForObjectDetection(YolosConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
