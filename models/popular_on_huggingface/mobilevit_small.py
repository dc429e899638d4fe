# labels: name::mobilevit_small author::apple task::image_classification license::other test_group::popular_on_huggingface params::5578632
"""
mobilevit-small of apple, to classify pictures.

https://huggingface.co/apple/mobilevit-small
"""

import torch
from transformers import MobileViTConfig, MobileViTForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
config = MobileViTConfig(num_labels=1000)
if pretrained:
    model = MobileViTForImageClassification.from_pretrained(
        "apple/mobilevit-small", dtype=torch.float32
    )
else:
    model = MobileViTForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
