# labels: name::nsfw_image_detection author::falconsai task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::85800194
"""
nsfw_image_detection of Falconsai, to classify pictures.

https://huggingface.co/Falconsai/nsfw_image_detection
"""

import torch
from transformers import ViTConfig, ViTForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = ViTConfig()
if pretrained:
    model = ViTForImageClassification.from_pretrained(
        "Falconsai/nsfw_image_detection", dtype=torch.float32
    )
else:
    model = ViTForImageClassification(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
