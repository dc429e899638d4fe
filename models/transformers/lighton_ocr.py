# labels: name::lighton_ocr author::lightonai task::image_text_to_text license::apache-2.0 test_group::transformers params::1005647872
"""
LightOnOcrForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/lighton_ocr/modeling_lighton_ocr.py
"""

import torch
from transformers import AutoModelForImageTextToText, LightOnOcrConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=1008, width=1008
)

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "lightonai/LightOnOCR-1B-1025", dtype=torch.bfloat16
    )
else:
    model = AutoModelForImageTextToText.from_config(LightOnOcrConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
side = vision.patch_size * config.spatial_merge_size
places = torch.full((batch_size, (height // side) * (width // side)), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, height, width, dtype=torch.bfloat16),
    "image_sizes": torch.tensor([[height, width]] * batch_size),
}

# Call the model
model(**inputs, use_cache=False)
