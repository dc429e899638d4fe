# labels: name::siglip2 author::google task::zero_shot_image_classification license::apache-2.0 test_group::transformers params::203202050
"""
Siglip2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/siglip2/modeling_siglip2.py
"""

import torch
from transformers import Siglip2Config, Siglip2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=64
)

# The model and its inputs
if pretrained:
    model = Siglip2Model.from_pretrained("google/siglip2-base-patch16-naflex", dtype=torch.float32)
else:
    model = Siglip2Model(Siglip2Config())
model.eval()
language = model.config.text_config
vision = model.config.vision_config
side = int(vision.num_patches**0.5)
patch = vision.num_channels * vision.patch_size**2
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.randn(batch_size, side**2, patch),
    "pixel_attention_mask": torch.ones(batch_size, side**2, dtype=torch.long),
    "spatial_shapes": torch.full((batch_size, 2), side),
}

# Call the model
model(**inputs)
