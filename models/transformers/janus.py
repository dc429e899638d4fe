# labels: name::janus author::deepseek task::image_text_to_text license::apache-2.0 test_group::transformers params::7046008459
"""
JanusForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/janus/modeling_janus.py
"""

import torch
from transformers import AutoModelForImageTextToText, JanusConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "deepseek-community/Janus-Pro-1B", dtype=torch.bfloat16
    )
else:
    settings = JanusConfig(image_token_id=31999, vision_config={"projection_dim": 4096})
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
size = vision.image_size
places = torch.full((batch_size, (size // vision.patch_size) ** 2), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
