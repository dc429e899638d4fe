# labels: name::convnextv2_tiny_1k_224 author::facebook task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::28635496
"""
convnextv2-tiny-1k-224 of facebook, to classify pictures.

https://huggingface.co/facebook/convnextv2-tiny-1k-224
"""

import torch
from transformers import ConvNextV2Config, ConvNextV2ForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
config = ConvNextV2Config(num_labels=1000)
if pretrained:
    model = ConvNextV2ForImageClassification.from_pretrained(
        "facebook/convnextv2-tiny-1k-224", dtype=torch.float32
    )
else:
    model = ConvNextV2ForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
