# labels: name::mask2former author::meta task::universal_segmentation license::apache-2.0 test_group::transformers params::68721037
"""
Mask2FormerForUniversalSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mask2former/modeling_mask2former.py
"""

import torch
from transformers import Mask2FormerConfig, Mask2FormerForUniversalSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=384, width=384
)

# The model and its inputs
if pretrained:
    model = Mask2FormerForUniversalSegmentation.from_pretrained(
        "facebook/mask2former-swin-small-coco-instance", dtype=torch.float32
    )
else:
    model = Mask2FormerForUniversalSegmentation(Mask2FormerConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
