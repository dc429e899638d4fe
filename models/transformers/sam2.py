# labels: name::sam2 author::meta task::mask_generation license::apache-2.0 test_group::transformers params::31440721
"""
Sam2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam2/modeling_sam2.py
"""

import torch
from transformers import Sam2Config, Sam2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = Sam2Model.from_pretrained("facebook/sam2.1-hiera-tiny", dtype=torch.float32)
else:
    model = Sam2Model(Sam2Config())
model.eval()
vision = model.config.vision_config.backbone_config
size = vision.image_size[0]
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "input_points": size * torch.rand(batch_size, 1, 1, 2),
}

# Call the model
model(**inputs)
