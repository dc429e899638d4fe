# labels: name::align author::kakaobrain task::zero_shot_image_classification license::apache-2.0 test_group::transformers params::172117841
"""
AlignModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/align/modeling_align.py
"""

import torch
from transformers import AlignConfig, AlignModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=600, width=600
)

# The model and its inputs
if pretrained:
    model = AlignModel.from_pretrained("kakaobrain/align-base", dtype=torch.float32)
else:
    model = AlignModel(AlignConfig())
model.eval()
language = model.config.text_config
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, 3, height, width),
}

# Call the model
model(**inputs)
