# labels: name::swin_large_patch4_window7_224 author::microsoft task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::196532476
"""
swin-large-patch4-window7-224 of microsoft, to classify pictures.

https://huggingface.co/microsoft/swin-large-patch4-window7-224
"""

import torch
from transformers import SwinConfig, SwinForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
config = SwinConfig(
    embed_dim=192,
    depths=[2, 2, 18, 2],
    num_heads=[6, 12, 24, 48],
    num_labels=1000,
)
if pretrained:
    model = SwinForImageClassification.from_pretrained(
        "microsoft/swin-large-patch4-window7-224", dtype=torch.float32
    )
else:
    model = SwinForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
