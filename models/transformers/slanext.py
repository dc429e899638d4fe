# labels: name::slanext author::baidu task::table_recognition license::apache-2.0 test_group::transformers params::90924850
"""
SLANeXtForTableRecognition of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/slanext/modeling_slanext.py
"""

import torch
from transformers import SLANeXtConfig, SLANeXtForTableRecognition

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = SLANeXtForTableRecognition.from_pretrained(
        "PaddlePaddle/SLANeXt_wired_safetensors", dtype=torch.float32
    )
else:
    model = SLANeXtForTableRecognition(SLANeXtConfig())
model.eval()
vision = model.config.vision_config
size = vision.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
