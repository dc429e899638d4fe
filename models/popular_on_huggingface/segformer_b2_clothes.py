# labels: name::segformer_b2_clothes author::mattmdjaga task::semantic_segmentation license::mit test_group::popular_on_huggingface params::27360466
"""
segformer_b2_clothes of mattmdjaga, to say what each pixel belongs to.

https://huggingface.co/mattmdjaga/segformer_b2_clothes
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
config = SegformerConfig(
    hidden_sizes=[64, 128, 320, 512],
    depths=[3, 4, 6, 3],
    decoder_hidden_size=768,
    num_labels=18,
)
if pretrained:
    model = SegformerForSemanticSegmentation.from_pretrained(
        "mattmdjaga/segformer_b2_clothes", dtype=torch.float32
    )
else:
    model = SegformerForSemanticSegmentation(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
