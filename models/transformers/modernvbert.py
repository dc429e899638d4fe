# labels: name::modernvbert author::modernvbert task::image_feature_extraction license::apache-2.0 test_group::transformers params::251971584
"""
ModernVBertModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/modernvbert/modeling_modernvbert.py
"""

import torch
from transformers import ModernVBertConfig, ModernVBertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = ModernVBertModel.from_pretrained("ModernVBERT/modernvbert", dtype=torch.float32)
else:
    settings = ModernVBertConfig(image_token_id=50367, vision_config={"image_size": 512})
    model = ModernVBertModel(settings)
model.eval()
config = model.config
vision = model.config.vision_config
size = vision.image_size
side = size // vision.patch_size // config.pixel_shuffle_factor
places = torch.full((batch_size, side**2), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 1, 3, size, size),
}

# Call the model
model(**inputs)
