# labels: name::chinese_clip author::ofa-sys task::zero_shot_image_classification license::apache-2.0 test_group::transformers params::197134081
"""
ChineseCLIPModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/chinese_clip/modeling_chinese_clip.py
"""

import torch
from transformers import ChineseCLIPConfig, ChineseCLIPModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = ChineseCLIPModel.from_pretrained(
        "OFA-Sys/chinese-clip-vit-base-patch16", dtype=torch.float32
    )
else:
    model = ChineseCLIPModel(ChineseCLIPConfig())
model.eval()
language = model.config.text_config
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
