# labels: name::table_transformer_detection author::microsoft task::object_detection license::mit test_group::popular_on_huggingface params::28799431
"""
table-transformer-detection of microsoft, to find objects in pictures.

https://huggingface.co/microsoft/table-transformer-detection
"""

import torch
from transformers import TableTransformerConfig, TableTransformerForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=1000
)

# The model and its inputs
config = TableTransformerConfig(
    backbone_config={
        "model_type": "timm_backbone",
        "backbone": "resnet18",
        "out_indices": [1, 2, 3, 4],
    },
    num_queries=15,
)
if pretrained:
    model = TableTransformerForObjectDetection.from_pretrained(
        "microsoft/table-transformer-detection", dtype=torch.float32
    )
else:
    model = TableTransformerForObjectDetection(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
