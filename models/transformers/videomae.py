# labels: name::videomae author::mcg-nju task::video_feature_extraction license::apache-2.0 test_group::transformers params::86225664
"""
VideoMAEModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/videomae/modeling_videomae.py
"""

import torch
from transformers import VideoMAEConfig, VideoMAEModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = VideoMAEModel.from_pretrained("MCG-NJU/videomae-base", dtype=torch.float32)
else:
    model = VideoMAEModel(VideoMAEConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, config.num_frames, 3, size, size)}

# Call the model
model(**inputs)
