# labels: name::cosmos3_edge author::nvidia task::image_text_to_text license::apache-2.0 test_group::transformers params::2435616496
"""
Cosmos3EdgeForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/cosmos3_edge/modeling_cosmos3_edge.py
"""

import torch
from transformers import AutoModelForImageTextToText, Cosmos3EdgeConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained("nvidia/Cosmos3-Edge", dtype=torch.bfloat16)
else:
    model = AutoModelForImageTextToText.from_config(Cosmos3EdgeConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
language = model.config.text_config
vision = model.config.vision_config
rows, columns = height // vision.patch_size, width // vision.patch_size
count = batch_size * rows * columns
patch = vision.num_channels * vision.patch_size**2
places = torch.full(
    (batch_size, rows * columns // vision.spatial_merge_size**2), config.image_token_id
)
text = torch.randint(config.image_token_id + 1, language.vocab_size, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.randn(count, patch, dtype=torch.bfloat16),
    "image_grid_thw": torch.tensor([[1, rows, columns]] * batch_size),
    "mm_token_type_ids": (input_ids == config.image_token_id).long(),
}

# Call the model
model(**inputs, use_cache=False)
