# labels: name::fuyu author::adept task::image_text_to_text license::cc-by-nc-4.0 test_group::transformers params::8334496768
"""
FuyuModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/fuyu/modeling_fuyu.py
"""

import torch
from transformers import AutoModel, FuyuConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained("adept/fuyu-8b", dtype=torch.bfloat16)
else:
    model = AutoModel.from_config(FuyuConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
side = config.image_size // config.patch_size
places = torch.full((batch_size, side**2), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, side**2, 3 * config.patch_size**2, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
