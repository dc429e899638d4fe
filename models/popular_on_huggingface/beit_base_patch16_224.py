# labels: name::beit_base_patch16_224 author::microsoft task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::86530984
"""
beit-base-patch16-224 of microsoft, to classify pictures.

https://huggingface.co/microsoft/beit-base-patch16-224
"""

import torch
from transformers import BeitConfig, BeitForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = BeitConfig(use_relative_position_bias=True, num_labels=1000)
if pretrained:
    model = BeitForImageClassification.from_pretrained(
        "microsoft/beit-base-patch16-224", dtype=torch.float32
    )
else:
    model = BeitForImageClassification(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
