# labels: name::blip author::salesforce task::image_text_to_text license::bsd-3-clause test_group::transformers params::223971644
"""
BlipForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/blip/modeling_blip.py
"""

import torch
from transformers import BlipConfig, BlipForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = BlipForConditionalGeneration.from_pretrained(
        "Salesforce/blip-vqa-base", dtype=torch.float32
    )
else:
    model = BlipForConditionalGeneration(BlipConfig())
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
