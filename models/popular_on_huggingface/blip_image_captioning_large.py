# labels: name::blip_image_captioning_large author::salesforce task::image_to_text license::bsd-3-clause test_group::popular_on_huggingface params::446290492
"""
blip-image-captioning-large of Salesforce, to put pictures into words.

https://huggingface.co/Salesforce/blip-image-captioning-large
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
config = BlipConfig(
    text_config={"encoder_hidden_size": 1024},
    vision_config={
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
    },
)
if pretrained:
    model = BlipForConditionalGeneration.from_pretrained(
        "Salesforce/blip-image-captioning-large", dtype=torch.float32
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
