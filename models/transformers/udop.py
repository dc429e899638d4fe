# labels: name::udop author::microsoft task::document_to_text license::mit test_group::transformers params::742440960
"""
UdopForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/udop/modeling_udop.py
"""

import torch
from transformers import UdopConfig, UdopForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = UdopForConditionalGeneration.from_pretrained(
        "microsoft/udop-large", dtype=torch.float32
    )
else:
    model = UdopForConditionalGeneration(UdopConfig())
model.eval()
config = model.config
size = config.image_size
corners = torch.rand(batch_size, max_seq_length, 2) / 2
sizes = torch.rand(batch_size, max_seq_length, 2) / 2
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "bbox": torch.cat([corners, corners + sizes], dim=-1),
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
