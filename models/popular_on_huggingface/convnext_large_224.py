# labels: name::convnext_large_224 author::facebook task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::197767336
"""
convnext-large-224 of facebook, to classify pictures.

https://huggingface.co/facebook/convnext-large-224
"""

import torch
from transformers import ConvNextConfig, ConvNextForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
config = ConvNextConfig(hidden_sizes=[192, 384, 768, 1536], depths=[3, 3, 27, 3], num_labels=1000)
if pretrained:
    model = ConvNextForImageClassification.from_pretrained(
        "facebook/convnext-large-224", dtype=torch.float32
    )
else:
    model = ConvNextForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
