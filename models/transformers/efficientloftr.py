# labels: name::efficientloftr author::zju-community task::keypoint_matching license::apache-2.0 test_group::transformers params::16025216
"""
EfficientLoFTRForKeypointMatching of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/efficientloftr/modeling_efficientloftr.py
"""

import torch
from transformers import EfficientLoFTRConfig, EfficientLoFTRForKeypointMatching

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=480, width=640
)

# The model and its inputs
if pretrained:
    model = EfficientLoFTRForKeypointMatching.from_pretrained(
        "zju-community/efficientloftr", dtype=torch.float32
    )
else:
    model = EfficientLoFTRForKeypointMatching(EfficientLoFTRConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 2, 3, height, width)}

# Call the model
model(**inputs)
