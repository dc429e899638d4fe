# labels: name::florence2 author::florence-community task::image_text_to_text license::apache-2.0 test_group::transformers params::497761280
"""
Florence2ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/florence2/modeling_florence2.py
"""

import torch
from transformers import Florence2Config, Florence2ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = Florence2ForConditionalGeneration.from_pretrained(
        "florence-community/Florence-2-base", dtype=torch.float32
    )
else:
    settings = Florence2Config(image_token_id=50264)
    model = Florence2ForConditionalGeneration(settings)
model.eval()
config = model.config
size = 768
places = torch.full((batch_size, (size // 32) ** 2 + 1), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "decoder_input_ids": text,
}

# Call the model
model(**inputs, use_cache=False)
