# labels: name::nemotron_h_omni author::nvidia task::image_text_to_text license::apache-2.0 test_group::transformers params::2659803008
"""
NemotronH_Omni_Reasoning_V3 of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nemotron_h_omni/modeling_nemotron_h_omni.py
"""

import torch
from transformers import AutoModelForImageTextToText, NemotronH_Omni_Reasoning_V3_Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "nvidia/Nemotron-3-Nano-Omni-30B-A3B-Reasoning-BF16", dtype=torch.bfloat16
    )
else:
    settings = NemotronH_Omni_Reasoning_V3_Config(image_token_id=131071)
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
rows, columns = height // vision.patch_size, width // vision.patch_size
count = batch_size * rows * columns
places = torch.full((batch_size, rows * columns // 4), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.randn(count, 3 * vision.patch_size**2, dtype=torch.bfloat16),
    "image_grid_hw": torch.tensor([[rows, columns]] * batch_size),
}

# Call the model
model(**inputs, use_cache=False)
