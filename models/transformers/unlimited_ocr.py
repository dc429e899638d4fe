# labels: name::unlimited_ocr author::baidu task::image_text_to_text license::apache-2.0 test_group::transformers params::3335504128
"""
UnlimitedOcrForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/unlimited_ocr/modeling_unlimited_ocr.py
"""

import torch
from transformers import AutoModelForImageTextToText, UnlimitedOcrConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained("baidu/Unlimited-OCR", dtype=torch.bfloat16)
else:
    model = AutoModelForImageTextToText.from_config(UnlimitedOcrConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
size, side = 1024, 16
places = torch.full((batch_size, side * (side + 1) + 1), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
