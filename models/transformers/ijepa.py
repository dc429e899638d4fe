# labels: name::ijepa author::meta task::image_feature_extraction license::cc-by-nc-4.0 test_group::transformers params::85797120
"""
IJepaModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/ijepa/modeling_ijepa.py
"""

import torch
from transformers import IJepaConfig, IJepaModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = IJepaModel.from_pretrained("facebook/ijepa_vith14_1k", dtype=torch.float32)
else:
    model = IJepaModel(IJepaConfig(image_size=(height, width)))
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
