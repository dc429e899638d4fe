# labels: name::convnext_tiny_224 author::facebook task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::28589128
"""
convnext-tiny-224 of facebook, to classify pictures.

https://huggingface.co/facebook/convnext-tiny-224
"""

import torch
from transformers import ConvNextConfig, ConvNextForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
config = ConvNextConfig(num_labels=1000)
if pretrained:
    model = ConvNextForImageClassification.from_pretrained(
        "facebook/convnext-tiny-224", dtype=torch.float32
    )
else:
    model = ConvNextForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
