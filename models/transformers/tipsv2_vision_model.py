# labels: name::tipsv2_vision_model author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::86316288
"""
Tipsv2VisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/tipsv2/modeling_tipsv2.py
"""

import torch
from transformers import Tipsv2VisionConfig, Tipsv2VisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=448, width=448
)

# The model and its inputs
if pretrained:
    model = Tipsv2VisionModel.from_pretrained("google/tipsv2-b14", dtype=torch.float32)
else:
    model = Tipsv2VisionModel(Tipsv2VisionConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
