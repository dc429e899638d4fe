# labels: name::hiera author::meta task::image_feature_extraction license::cc-by-nc-4.0 test_group::transformers params::50755968
"""
HieraModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/hiera/modeling_hiera.py
"""

import torch
from transformers import HieraConfig, HieraModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = HieraModel.from_pretrained("facebook/hiera-base-224", dtype=torch.float32)
else:
    model = HieraModel(HieraConfig(image_size=(height, width)))
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
