# labels: name::rf_detr_dinov2 author::roboflow task::image_feature_extraction license::apache-2.0 test_group::transformers params::85725696
"""
RfDetrDinov2Backbone of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/rf_detr/modeling_rf_detr.py
"""

import torch
from transformers import RfDetrDinov2Backbone, RfDetrDinov2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = RfDetrDinov2Backbone(RfDetrDinov2Config())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
