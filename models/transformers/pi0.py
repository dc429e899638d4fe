# labels: name::pi0 author::lerobot task::robotics license::apache-2.0 test_group::transformers params::3501372176
"""
PI0ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pi0/modeling_pi0.py
"""

import torch
from transformers import AutoModelForImageTextToText, PI0Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained("lerobot/pi0_base", dtype=torch.bfloat16)
else:
    model = AutoModelForImageTextToText.from_config(PI0Config(), dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vlm_config.vision_config
whole = model.config.vlm_config
size = vision.image_size
places = torch.full((batch_size, (size // vision.patch_size) ** 2), whole.image_token_id)
text = torch.randint(0, whole.text_config.vocab_size, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "state": torch.randn(batch_size, config.max_state_dim, dtype=torch.bfloat16),
    "noise": torch.randn(
        batch_size, config.chunk_size, config.max_action_dim, dtype=torch.bfloat16
    ),
    "timestep": torch.rand(batch_size),
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 1, 3, size, size, dtype=torch.bfloat16),
    "pixel_attention_mask": torch.ones(batch_size, 1, dtype=torch.bool),
}

# Call the model
model(**inputs)
