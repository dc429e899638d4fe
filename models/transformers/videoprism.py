# labels: name::videoprism author::google task::zero_shot_video_classification license::apache-2.0 test_group::transformers params::247623424
"""
VideoPrismClipModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/videoprism/modeling_videoprism.py
"""

import torch
from transformers import VideoPrismClipModel, VideoPrismConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=64
)

# The model and its inputs
if pretrained:
    model = VideoPrismClipModel.from_pretrained(
        "google/videoprism-lvt-base-f16r288", dtype=torch.float32
    )
else:
    model = VideoPrismClipModel(VideoPrismConfig())
model.eval()
language = model.config.text_config
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values_videos": torch.rand(batch_size, vision.num_frames, 3, size, size),
}

# Call the model
model(**inputs)
