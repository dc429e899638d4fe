# labels: name::lfm2_vl author::liquidai task::image_text_to_text license::other test_group::transformers params::2812857088
"""
Lfm2VlForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/lfm2_vl/modeling_lfm2_vl.py
"""

import torch
from transformers import AutoModelForImageTextToText, Lfm2VlConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "LiquidAI/LFM2-VL-1.6B", dtype=torch.bfloat16
    )
else:
    model = AutoModelForImageTextToText.from_config(Lfm2VlConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
language = model.config.text_config
vision = model.config.vision_config
rows, columns = height // vision.patch_size, width // vision.patch_size
patch = vision.num_channels * vision.patch_size**2
places = torch.full(
    (batch_size, rows * columns // config.downsample_factor**2), config.image_token_id
)
text = torch.randint(config.image_token_id + 1, language.vocab_size, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.randn(batch_size, rows * columns, patch, dtype=torch.bfloat16),
    "pixel_attention_mask": torch.ones(batch_size, rows * columns, dtype=torch.long),
    "spatial_shapes": torch.tensor([[rows, columns]] * batch_size),
}

# Call the model
model(**inputs, use_cache=False)
