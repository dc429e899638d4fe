# labels: name::aimv2 author::apple task::image_feature_extraction license::apple-amlr test_group::transformers params::436221441
"""
Aimv2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/aimv2/modeling_aimv2.py
"""

import torch
from transformers import Aimv2Config, Aimv2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=77
)

# The model and its inputs
if pretrained:
    model = Aimv2Model.from_pretrained("apple/aimv2-large-patch14-224-lit", dtype=torch.float32)
else:
    model = Aimv2Model(Aimv2Config())
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
