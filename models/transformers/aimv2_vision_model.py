# labels: name::aimv2_vision_model author::apple task::image_feature_extraction license::apple-amlr test_group::transformers params::312345600
"""
Aimv2VisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/aimv2/modeling_aimv2.py
"""

import torch
from transformers import Aimv2VisionConfig, Aimv2VisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = Aimv2VisionModel.from_pretrained(
        "apple/aimv2-large-patch14-224-lit", dtype=torch.float32
    )
else:
    model = Aimv2VisionModel(Aimv2VisionConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
