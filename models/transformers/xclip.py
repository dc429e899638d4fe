# labels: name::xclip author::microsoft task::zero_shot_video_classification license::mit test_group::transformers params::196585729
"""
XCLIPModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/x_clip/modeling_x_clip.py
"""

import torch
from transformers import XCLIPConfig, XCLIPModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=77
)

# The model and its inputs
if pretrained:
    model = XCLIPModel.from_pretrained("microsoft/xclip-base-patch32", dtype=torch.float32)
else:
    model = XCLIPModel(XCLIPConfig())
model.eval()
language = model.config.text_config
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, vision.num_frames, 3, size, size),
}

# Call the model
model(**inputs)
