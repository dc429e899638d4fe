# labels: name::pe_video_encoder author::meta task::video_feature_extraction license::apache-2.0 test_group::transformers params::573736706
"""
PeVideoEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pe_video/modeling_pe_video.py
"""

import torch
from transformers import PeVideoEncoder, PeVideoEncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=336, width=336)

# The model and its inputs
model = PeVideoEncoder(PeVideoEncoderConfig())
model.eval()
inputs = {"pixel_values_videos": torch.rand(batch_size, 8, 3, height, width)}

# Call the model
model(**inputs)
