# labels: name::chinese_clip_vision_model author::ofa-sys task::image_feature_extraction license::apache-2.0 test_group::transformers params::87456000
"""
ChineseCLIPVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/chinese_clip/modeling_chinese_clip.py
"""

import torch
from transformers import ChineseCLIPVisionConfig, ChineseCLIPVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = ChineseCLIPVisionModel.from_pretrained(
        "OFA-Sys/chinese-clip-vit-base-patch16", dtype=torch.float32
    )
else:
    model = ChineseCLIPVisionModel(ChineseCLIPVisionConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
