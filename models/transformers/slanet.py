# labels: name::slanet author::baidu task::table_recognition license::apache-2.0 test_group::transformers params::1829394
"""
SLANetForTableRecognition of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/slanet/modeling_slanet.py
"""

import torch
from transformers import SLANetConfig, SLANetForTableRecognition

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=488, width=488
)

# The model and its inputs
if pretrained:
    model = SLANetForTableRecognition.from_pretrained(
        "PaddlePaddle/SLANet_plus_safetensors", dtype=torch.float32
    )
else:
    model = SLANetForTableRecognition(SLANetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
