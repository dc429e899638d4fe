# labels: name::idefics3 author::huggingface task::image_text_to_text license::apache-2.0 test_group::transformers params::6909685760
"""
Idefics3ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/idefics3/modeling_idefics3.py
"""

import torch
from transformers import AutoModelForImageTextToText, Idefics3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "HuggingFaceM4/Idefics3-8B-Llama3", dtype=torch.bfloat16
    )
else:
    settings = Idefics3Config(image_token_id=31999)
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
size = 256
places = torch.full(
    (batch_size, ((size // vision.patch_size) // config.scale_factor) ** 2), config.image_token_id
)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 1, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
