# labels: name::eomt author::tue-mps task::universal_segmentation license::apache-2.0 test_group::transformers params::316561411
"""
EomtForUniversalSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/eomt/modeling_eomt.py
"""

import torch
from transformers import EomtConfig, EomtForUniversalSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = EomtForUniversalSegmentation.from_pretrained(
        "tue-mps/coco_panoptic_eomt_large_640", dtype=torch.float32
    )
else:
    model = EomtForUniversalSegmentation(EomtConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
