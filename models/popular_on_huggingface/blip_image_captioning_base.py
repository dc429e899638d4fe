# labels: name::blip_image_captioning_base author::salesforce task::image_to_text license::bsd-3-clause test_group::popular_on_huggingface params::223971644
"""
blip-image-captioning-base of Salesforce, to put pictures into words.

https://huggingface.co/Salesforce/blip-image-captioning-base
"""

import torch
from transformers import BlipConfig, BlipForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=20
)

# The model and its inputs
config = BlipConfig()
if pretrained:
    model = BlipForConditionalGeneration.from_pretrained(
        "Salesforce/blip-image-captioning-base", dtype=torch.float32
    )
else:
    model = BlipForConditionalGeneration(config)
model.eval()
size = config.vision_config.image_size
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "input_ids": torch.randint(0, config.text_config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs)
