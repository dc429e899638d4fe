# labels: name::pp_ocrv6_tiny_rec author::baidu task::image_to_text license::apache-2.0 test_group::transformers params::3683065
"""
PPOCRV6TinyRecForTextRecognition of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pp_ocrv6_tiny_rec/modeling_pp_ocrv6_tiny_rec.py
"""

import torch
from transformers import PPOCRV6TinyRecConfig, PPOCRV6TinyRecForTextRecognition

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=48, width=320
)

# The model and its inputs
if pretrained:
    model = PPOCRV6TinyRecForTextRecognition.from_pretrained(
        "PaddlePaddle/PP-OCRv6_tiny_rec_safetensors", dtype=torch.float32
    )
else:
    model = PPOCRV6TinyRecForTextRecognition(PPOCRV6TinyRecConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
