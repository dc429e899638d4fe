# labels: name::maskformer author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::101793403
"""
MaskFormerForInstanceSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/maskformer/modeling_maskformer.py
"""

import torch
from transformers import MaskFormerConfig, MaskFormerForInstanceSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=384, width=384
)

# The model and its inputs
if pretrained:
    model = MaskFormerForInstanceSegmentation.from_pretrained(
        "facebook/maskformer-swin-base-ade", dtype=torch.float32
    )
else:
    model = MaskFormerForInstanceSegmentation(MaskFormerConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
