# labels: name::table_transformer author::microsoft task::object_detection license::apache-2.0 test_group::transformers params::41502407
"""
TableTransformerForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/table_transformer/modeling_table_transformer.py
"""

import torch
from transformers import TableTransformerConfig, TableTransformerForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = TableTransformerForObjectDetection.from_pretrained(
        "microsoft/table-transformer-detection", dtype=torch.float32
    )
else:
    model = TableTransformerForObjectDetection(TableTransformerConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
