# labels: name::segformer_b2_finetuned_ade_512_512 author::nvidia task::semantic_segmentation license::other test_group::popular_on_huggingface params::27461974
"""
segformer-b2-finetuned-ade-512-512 of nvidia, to say what each pixel belongs to.

https://huggingface.co/nvidia/segformer-b2-finetuned-ade-512-512
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
    num_labels=150,
)
if pretrained:
    model = SegformerForSemanticSegmentation.from_pretrained(
        "nvidia/segformer-b2-finetuned-ade-512-512", dtype=torch.float32
    )
else:
    model = SegformerForSemanticSegmentation(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
