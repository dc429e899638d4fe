# labels: name::t5gemma2 author::google task::image_text_to_text license::gemma test_group::transformers params::4750703360
"""
T5Gemma2ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/t5gemma2/modeling_t5gemma2.py
"""

import torch
from transformers import AutoModelForImageTextToText, T5Gemma2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "google/t5gemma-2-270m-270m", dtype=torch.bfloat16
    )
else:
    settings = T5Gemma2Config(encoder={"vision_config": {"image_size": 896, "patch_size": 14}})
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.encoder
size = vision.vision_config.image_size
places = torch.full((batch_size, vision.mm_tokens_per_image), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, size, size, dtype=torch.bfloat16),
    "decoder_input_ids": text,
}

# Call the model
model(**inputs, use_cache=False)
