# labels: name::blip_2 author::salesforce task::image_text_to_text license::mit test_group::transformers params::1216944384
"""
Blip2ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/blip_2/modeling_blip_2.py
"""

import torch
from transformers import AutoModelForImageTextToText, Blip2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "Salesforce/blip2-opt-2.7b", dtype=torch.bfloat16
    )
else:
    settings = Blip2Config(image_token_index=50265)
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
size = vision.image_size
places = torch.full((batch_size, config.num_query_tokens), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
