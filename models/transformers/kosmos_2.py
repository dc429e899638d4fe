# labels: name::kosmos_2 author::microsoft task::image_text_to_text license::mit test_group::transformers params::1664485376
"""
Kosmos2ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/kosmos2/modeling_kosmos2.py
"""

import torch
from transformers import AutoModelForImageTextToText, Kosmos2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "microsoft/kosmos-2-patch14-224", dtype=torch.bfloat16
    )
else:
    model = AutoModelForImageTextToText.from_config(Kosmos2Config(), dtype=torch.bfloat16)
model.eval()
config = model.config
language = model.config.text_config
vision = model.config.vision_config
size = vision.image_size
length = config.latent_query_num + max_seq_length
places = (torch.arange(length) < config.latent_query_num).long()
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size, dtype=torch.bfloat16),
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, length)),
    "image_embeds_position_mask": places.repeat(batch_size, 1),
}

# Call the model
model(**inputs, use_cache=False)
