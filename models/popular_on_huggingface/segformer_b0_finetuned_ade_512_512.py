# labels: name::segformer_b0_finetuned_ade_512_512 author::nvidia task::semantic_segmentation license::other test_group::popular_on_huggingface params::3752694
"""
segformer-b0-finetuned-ade-512-512 of nvidia, to say what each pixel belongs to.

https://huggingface.co/nvidia/segformer-b0-finetuned-ade-512-512
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
config = SegformerConfig(num_labels=150)
if pretrained:
    model = SegformerForSemanticSegmentation.from_pretrained(
        "nvidia/segformer-b0-finetuned-ade-512-512", dtype=torch.float32
    )
else:
    model = SegformerForSemanticSegmentation(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
