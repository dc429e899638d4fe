# labels: name::video_llama_3_vision author::lkhl task::image_feature_extraction license::apache-2.0 test_group::transformers params::85646592
"""
VideoLlama3VisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/video_llama_3/modeling_video_llama_3.py
"""

import torch
from transformers import VideoLlama3VisionConfig, VideoLlama3VisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = VideoLlama3VisionModel(VideoLlama3VisionConfig())
model.eval()
config = model.config
rows, columns = height // config.patch_size, width // config.patch_size
count = batch_size * rows * columns
patch = config.num_channels * config.patch_size**2
inputs = {
    "pixel_values": torch.randn(count, patch),
    "grid_thw": torch.tensor([[1, rows, columns]] * batch_size),
    "merge_sizes": torch.full((batch_size,), 2),
}

# Call the model
model(**inputs)
