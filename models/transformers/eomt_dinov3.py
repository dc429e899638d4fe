# labels: name::eomt_dinov3 author::tue-mps task::universal_segmentation license::apache-2.0 test_group::transformers params::314898435
"""
EomtDinov3ForUniversalSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/eomt_dinov3/modeling_eomt_dinov3.py
"""

import torch
from transformers import EomtDinov3Config, EomtDinov3ForUniversalSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = EomtDinov3ForUniversalSegmentation.from_pretrained(
        "tue-mps/coco_panoptic_eomt_large_640_dinov3", dtype=torch.float32
    )
else:
    model = EomtDinov3ForUniversalSegmentation(EomtDinov3Config())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
