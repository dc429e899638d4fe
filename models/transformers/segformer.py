# labels: name::segformer author::nvidia task::semantic_segmentation license::other test_group::transformers,sample params::3714658
"""
SegformerForSemanticSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/segformer/modeling_segformer.py
"""

import torch
from transformers import SegformerConfig, SegformerForSemanticSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = SegformerForSemanticSegmentation.from_pretrained(
        "nvidia/segformer-b0-finetuned-ade-512-512", dtype=torch.float32
    )
else:
    model = SegformerForSemanticSegmentation(SegformerConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
