# labels: name::vit_face_expression author::trpakov task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::85804039
"""
vit-face-expression of trpakov, to classify pictures.

https://huggingface.co/trpakov/vit-face-expression
"""

import torch
from transformers import ViTConfig, ViTForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = ViTConfig(num_labels=7)
if pretrained:
    model = ViTForImageClassification.from_pretrained(
        "trpakov/vit-face-expression", dtype=torch.float32
    )
else:
    model = ViTForImageClassification(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
