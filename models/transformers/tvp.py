# labels: name::tvp author::intel task::video_feature_extraction license::other test_group::transformers params::167167040
"""
TvpModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/tvp/modeling_tvp.py
"""

import torch
from transformers import TvpConfig, TvpModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = TvpModel.from_pretrained("Intel/tvp-base", dtype=torch.float32)
else:
    model = TvpModel(TvpConfig())
model.eval()
config = model.config
size = config.max_img_size
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, config.num_frames, 3, size, size),
}

# Call the model, without what only gradients need
with torch.no_grad():
    model(**inputs)
