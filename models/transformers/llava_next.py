# labels: name::llava_next author::llava-hf task::image_text_to_text license::apache-2.0 test_group::transformers params::7062906880
"""
LlavaNextForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/llava_next/modeling_llava_next.py
"""

import torch
from transformers import AutoModelForImageTextToText, LlavaNextConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "llava-hf/llava-v1.6-mistral-7b-hf", dtype=torch.bfloat16
    )
else:
    settings = LlavaNextConfig(image_token_index=31999)
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
size = vision.image_size
side = size // vision.patch_size
places = torch.full((batch_size, side**2 + 2 * side * (2 * side + 1)), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 5, 3, size, size, dtype=torch.bfloat16),
    "image_sizes": torch.tensor([[2 * size, 2 * size]] * batch_size),
}

# Call the model
model(**inputs, use_cache=False)
