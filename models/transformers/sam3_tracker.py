# labels: name::sam3_tracker author::meta task::mask_generation license::other test_group::transformers params::458260369
"""
Sam3TrackerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam3_tracker/modeling_sam3_tracker.py
"""

import torch
from transformers import Sam3TrackerConfig, Sam3TrackerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = Sam3TrackerModel.from_pretrained("facebook/sam3", dtype=torch.float32)
else:
    model = Sam3TrackerModel(Sam3TrackerConfig())
model.eval()
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "input_points": size * torch.rand(batch_size, 1, 1, 2),
}

# Call the model
model(**inputs)
