# labels: name::vit_large_patch16_224 author::google task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::304326632
"""
vit-large-patch16-224 of google, to classify pictures.

https://huggingface.co/google/vit-large-patch16-224
"""

import torch
from transformers import ViTConfig, ViTForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = ViTConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    num_labels=1000,
)
if pretrained:
    model = ViTForImageClassification.from_pretrained(
        "google/vit-large-patch16-224", dtype=torch.float32
    )
else:
    model = ViTForImageClassification(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
