# labels: name::data2vec_vision author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::85655040
"""
Data2VecVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/data2vec/modeling_data2vec_vision.py
"""

import torch
from transformers import Data2VecVisionConfig, Data2VecVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = Data2VecVisionModel.from_pretrained(
        "facebook/data2vec-vision-base", dtype=torch.float32
    )
else:
    model = Data2VecVisionModel(Data2VecVisionConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
