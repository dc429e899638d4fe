# labels: name::metaclip_2 author::meta task::zero_shot_image_classification license::apache-2.0 test_group::transformers params::151277313
"""
MetaClip2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/metaclip_2/modeling_metaclip_2.py
"""

import torch
from transformers import MetaClip2Config, MetaClip2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=77
)

# The model and its inputs
if pretrained:
    model = MetaClip2Model.from_pretrained(
        "facebook/metaclip-2-worldwide-huge-quickgelu", dtype=torch.float32
    )
else:
    model = MetaClip2Model(MetaClip2Config())
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
