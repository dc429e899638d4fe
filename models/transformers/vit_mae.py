# labels: name::vit_mae author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::85798656
"""
ViTMAEModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vit_mae/modeling_vit_mae.py
"""

import torch
from transformers import ViTMAEConfig, ViTMAEModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = ViTMAEModel.from_pretrained("facebook/vit-mae-base", dtype=torch.float32)
else:
    model = ViTMAEModel(ViTMAEConfig(image_size=(height, width)))
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
