# labels: name::qianfan_ocr_vision author::baidu task::image_feature_extraction license::apache-2.0 test_group::transformers params::304012288
"""
QianfanOCRVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/qianfan_ocr/modeling_qianfan_ocr.py
"""

import torch
from transformers import QianfanOCRVisionConfig, QianfanOCRVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=448, width=448)

# The model and its inputs
model = QianfanOCRVisionModel(QianfanOCRVisionConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
