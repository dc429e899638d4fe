# labels: name::got_ocr2 author::stepfun-ai task::image_text_to_text license::apache-2.0 test_group::transformers params::560528640
"""
GotOcr2ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/got_ocr2/modeling_got_ocr2.py
"""

import torch
from transformers import GotOcr2Config, GotOcr2ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = GotOcr2ForConditionalGeneration.from_pretrained(
        "stepfun-ai/GOT-OCR-2.0-hf", dtype=torch.float32
    )
else:
    model = GotOcr2ForConditionalGeneration(GotOcr2Config())
model.eval()
config = model.config
vision = model.config.vision_config
size = vision.image_size
places = torch.full((batch_size, ((size // vision.patch_size) // 4) ** 2), config.image_token_id)
text = torch.randint(0, config.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs, use_cache=False)
