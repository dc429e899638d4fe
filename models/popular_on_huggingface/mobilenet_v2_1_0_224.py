# labels: name::mobilenet_v2_1_0_224 author::google task::image_classification license::other test_group::popular_on_huggingface params::3506153
"""
mobilenet_v2_1.0_224 of google, to classify pictures.

https://huggingface.co/google/mobilenet_v2_1.0_224
"""

import torch
from transformers import MobileNetV2Config, MobileNetV2ForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
config = MobileNetV2Config(num_labels=1001)
if pretrained:
    model = MobileNetV2ForImageClassification.from_pretrained(
        "google/mobilenet_v2_1.0_224", dtype=torch.float32
    )
else:
    model = MobileNetV2ForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
