# labels: name::mit_b0 author::nvidia task::image_classification license::other test_group::popular_on_huggingface params::3576392
"""
mit-b0 of nvidia, to classify pictures.

https://huggingface.co/nvidia/mit-b0
"""

import torch
from transformers import SegformerConfig, SegformerForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
config = SegformerConfig(num_labels=1000)
if pretrained:
    model = SegformerForImageClassification.from_pretrained("nvidia/mit-b0", dtype=torch.float32)
else:
    model = SegformerForImageClassification(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
