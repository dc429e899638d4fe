# labels: name::sam3 author::meta task::mask_generation license::other test_group::transformers params::840376374
"""
Sam3Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam3/modeling_sam3.py
"""

import torch
from transformers import Sam3Config, Sam3Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=32
)

# The model and its inputs
if pretrained:
    model = Sam3Model.from_pretrained("facebook/sam3", dtype=torch.float32)
else:
    model = Sam3Model(Sam3Config())
model.eval()
language = model.config.text_config
vision = model.config.vision_config.backbone_config
size = vision.image_size
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
