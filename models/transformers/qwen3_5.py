# labels: name::qwen3_5 author::qwen task::image_text_to_text license::apache-2.0 test_group::transformers params::8392695024
"""
Qwen3_5Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/qwen3_5/modeling_qwen3_5.py
"""

import torch
from transformers import AutoModel, Qwen3_5Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained("Qwen/Qwen3.5-27B", dtype=torch.bfloat16)
else:
    settings = Qwen3_5Config(vision_config={"out_hidden_size": 4096})
    model = AutoModel.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
rows, columns = height // vision.patch_size, width // vision.patch_size
count = batch_size * rows * columns
patch = vision.in_channels * vision.temporal_patch_size * vision.patch_size**2
places = torch.full(
    (batch_size, rows * columns // vision.spatial_merge_size**2), config.image_token_id
)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
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
