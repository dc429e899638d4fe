# labels: name::vit_base_patch32_384 author::google task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::88297192
"""
vit-base-patch32-384 of google, to classify pictures.

https://huggingface.co/google/vit-base-patch32-384
"""

import torch
from transformers import ViTConfig, ViTForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = ViTConfig(image_size=384, patch_size=32, num_labels=1000)
if pretrained:
    model = ViTForImageClassification.from_pretrained(
        "google/vit-base-patch32-384", dtype=torch.float32
    )
else:
    model = ViTForImageClassification(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
