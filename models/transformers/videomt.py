# labels: name::videomt author::tue-mps task::universal_segmentation license::apache-2.0 test_group::transformers params::317612035
"""
VideomtForUniversalSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/videomt/modeling_videomt.py
"""

import torch
from transformers import VideomtConfig, VideomtForUniversalSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = VideomtForUniversalSegmentation.from_pretrained(
        "tue-mps/videomt-dinov2-small-ytvis2019", dtype=torch.float32
    )
else:
    model = VideomtForUniversalSegmentation(VideomtConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values_videos": torch.rand(batch_size, 8, 3, size, size)}

# Call the model
model(**inputs)
