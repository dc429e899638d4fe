# labels: name::videoprism_vision_model author::google task::video_feature_extraction license::apache-2.0 test_group::transformers params::114365184
"""
VideoPrismVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/videoprism/modeling_videoprism.py
"""

import torch
from transformers import VideoPrismVisionConfig, VideoPrismVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = VideoPrismVisionModel.from_pretrained(
        "google/videoprism-base-f16r288", dtype=torch.float32
    )
else:
    model = VideoPrismVisionModel(VideoPrismVisionConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values_videos": torch.rand(batch_size, config.num_frames, 3, size, size)}

# Call the model
model(**inputs)
