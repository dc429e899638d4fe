# labels: name::vit_msn author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::85798656
"""
ViTMSNModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vit_msn/modeling_vit_msn.py
"""

import torch
from transformers import ViTMSNConfig, ViTMSNModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = ViTMSNModel.from_pretrained("facebook/vit_msn_base", dtype=torch.float32)
else:
    model = ViTMSNModel(ViTMSNConfig(image_size=(height, width)))
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
