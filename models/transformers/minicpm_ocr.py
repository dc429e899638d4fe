# labels: name::minicpm_ocr author::openbmb task::image_text_to_text license::apache-2.0 test_group::transformers params::8094084096
"""
MiniCPMOcrForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/minicpm_ocr/modeling_minicpm_ocr.py
"""

import torch
from transformers import AutoModelForImageTextToText, MiniCPMOcrConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=448, width=448
)

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "openbmb/MiniCPM-OCR-1.0", dtype=torch.bfloat16
    )
else:
    settings = MiniCPMOcrConfig(image_token_id=248319)
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
side = vision.patch_size
rows, columns = height // side, width // side
fewer = int(config.downsample_mode.removesuffix("x"))
places = torch.full((batch_size, rows * columns // fewer), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.randn(
        1, 3, side, batch_size * rows * columns * side, dtype=torch.bfloat16
    ),
    "target_sizes": torch.tensor([[rows, columns]] * batch_size),
}

# Call the model
model(**inputs, use_cache=False)
