# labels: name::donut_swin author::naver-clova-ix task::image_feature_extraction license::apache-2.0 test_group::transformers params::27517818
"""
DonutSwinModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/donut/modeling_donut_swin.py
"""

import torch
from transformers import DonutSwinConfig, DonutSwinModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"])

# The model and its inputs
model = DonutSwinModel(DonutSwinConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
