# labels: name::pp_ocrv5_mobile_det author::baidu task::text_detection license::apache-2.0 test_group::transformers params::3492033
"""
PPOCRV5MobileDetForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pp_ocrv5_mobile_det/modeling_pp_ocrv5_mobile_det.py
"""

import torch
from transformers import PPOCRV5MobileDetConfig, PPOCRV5MobileDetForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
if pretrained:
    model = PPOCRV5MobileDetForObjectDetection.from_pretrained(
        "PaddlePaddle/PP-OCRv5_mobile_det_safetensors", dtype=torch.float32
    )
else:
    model = PPOCRV5MobileDetForObjectDetection(PPOCRV5MobileDetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
