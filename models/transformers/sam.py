# labels: name::sam author::meta task::mask_generation license::apache-2.0 test_group::transformers params::93735728
"""
SamModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam/modeling_sam.py
"""

import torch
from transformers import SamConfig, SamModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = SamModel.from_pretrained("facebook/sam-vit-base", dtype=torch.float32)
else:
    model = SamModel(SamConfig())
model.eval()
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "input_points": size * torch.rand(batch_size, 1, 1, 2),
}

# Call the model
model(**inputs)
