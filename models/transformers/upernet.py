# labels: name::upernet author::openmmlab task::semantic_segmentation license::apache-2.0 test_group::transformers params::66382916
"""
UperNetForSemanticSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/upernet/modeling_upernet.py
"""

import torch
from transformers import UperNetConfig, UperNetForSemanticSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = UperNetForSemanticSegmentation.from_pretrained(
        "openmmlab/upernet-convnext-tiny", dtype=torch.float32
    )
else:
    model = UperNetForSemanticSegmentation(UperNetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
