# labels: name::paddleocr_vl author::baidu task::image_text_to_text license::apache-2.0 test_group::transformers params::799695472
"""
PaddleOCRVLForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/paddleocr_vl/modeling_paddleocr_vl.py
"""

import torch
from transformers import PaddleOCRVLConfig, PaddleOCRVLForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=392, width=392
)

# The model and its inputs
if pretrained:
    model = PaddleOCRVLForConditionalGeneration.from_pretrained(
        "PaddlePaddle/PaddleOCR-VL", dtype=torch.float32
    )
else:
    model = PaddleOCRVLForConditionalGeneration(PaddleOCRVLConfig())
model.eval()
config = model.config
vision = model.config.vision_config
rows, columns = height // vision.patch_size, width // vision.patch_size
count = batch_size * rows * columns
side = vision.patch_size
places = torch.full(
    (batch_size, rows * columns // vision.spatial_merge_size**2), config.image_token_id
)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.randn(count, 3, side, side),
    "image_grid_thw": torch.tensor([[1, rows, columns]] * batch_size),
    "mm_token_type_ids": (input_ids == config.image_token_id).long(),
}

# Call the model
model(**inputs, use_cache=False)
