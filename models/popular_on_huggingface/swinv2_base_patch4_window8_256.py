# labels: name::swinv2_base_patch4_window8_256 author::microsoft task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::87918816
"""
swinv2-base-patch4-window8-256 of microsoft, to classify pictures.

https://huggingface.co/microsoft/swinv2-base-patch4-window8-256
"""

import torch
from transformers import Swinv2Config, Swinv2ForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
config = Swinv2Config(
    embed_dim=128,
    depths=[2, 2, 18, 2],
    num_heads=[4, 8, 16, 32],
    image_size=256,
    window_size=8,
    num_labels=1000,
)
if pretrained:
    model = Swinv2ForImageClassification.from_pretrained(
        "microsoft/swinv2-base-patch4-window8-256", dtype=torch.float32
    )
else:
    model = Swinv2ForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
