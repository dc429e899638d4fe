# labels: name::gemma4 author::google task::image_text_to_text license::apache-2.0 test_group::transformers params::5246311936
"""
Gemma4ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/gemma4/modeling_gemma4.py
"""

import torch
from transformers import AutoModelForImageTextToText, Gemma4Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=768, width=768
)

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "google/gemma-4-e2b-it", dtype=torch.bfloat16
    )
else:
    settings = Gemma4Config(vision_config={"model_type": "gemma4_vision"})
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
rows, columns = height // vision.patch_size, width // vision.patch_size
positions = torch.cartesian_prod(torch.arange(rows), torch.arange(columns))
patch = 3 * vision.patch_size**2
places = torch.full(
    (batch_size, rows * columns // vision.pooling_kernel_size**2), config.image_token_id
)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, rows * columns, patch, dtype=torch.bfloat16),
    "image_position_ids": positions.repeat(batch_size, 1, 1),
    "mm_token_type_ids": (input_ids == config.image_token_id).long(),
}

# Call the model
model(**inputs, use_cache=False)
