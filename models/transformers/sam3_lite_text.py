# labels: name::sam3_lite_text author::yonigozlan task::mask_generation license::apache-2.0 test_group::transformers params::548138550
"""
Sam3LiteTextModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam3_lite_text/modeling_sam3_lite_text.py
"""

import torch
from transformers import Sam3LiteTextConfig, Sam3LiteTextModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=77
)

# The model and its inputs
if pretrained:
    model = Sam3LiteTextModel.from_pretrained("yonigozlan/sam3-litetext-s0", dtype=torch.float32)
else:
    model = Sam3LiteTextModel(Sam3LiteTextConfig())
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
