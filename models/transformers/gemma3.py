# labels: name::gemma3 author::google task::image_text_to_text license::gemma test_group::transformers params::2726169856
"""
Gemma3ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/gemma3/modeling_gemma3.py
"""

import torch
from transformers import AutoModelForImageTextToText, Gemma3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "google/gemma-3-4b-it", dtype=torch.bfloat16
    )
else:
    settings = Gemma3Config(vision_config={"image_size": 896, "patch_size": 14})
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
size = vision.image_size
places = torch.full((batch_size, config.mm_tokens_per_image), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
