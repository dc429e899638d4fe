# labels: name::owlvit author::google task::zero_shot_object_detection license::apache-2.0 test_group::transformers params::153231879
"""
OwlViTForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/owlvit/modeling_owlvit.py
"""

import torch
from transformers import OwlViTConfig, OwlViTForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=16
)

# The model and its inputs
if pretrained:
    model = OwlViTForObjectDetection.from_pretrained(
        "google/owlvit-base-patch16", dtype=torch.float32
    )
else:
    model = OwlViTForObjectDetection(OwlViTConfig())
model.eval()
language = model.config.text_config
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (4 * batch_size, max_seq_length)),
    "attention_mask": torch.ones(4 * batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
