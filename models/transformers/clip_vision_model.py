# labels: name::clip_vision_model author::openai task::image_feature_extraction license::mit test_group::transformers params::87456000
"""
CLIPVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/clip/modeling_clip.py
"""

import torch
from transformers import CLIPVisionConfig, CLIPVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = CLIPVisionModel.from_pretrained("openai/clip-vit-base-patch32", dtype=torch.float32)
else:
    model = CLIPVisionModel(CLIPVisionConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
