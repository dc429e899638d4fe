# labels: name::siglip_vision_model author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::92884224
"""
SiglipVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/siglip/modeling_siglip.py
"""

import torch
from transformers import SiglipVisionConfig, SiglipVisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = SiglipVisionModel.from_pretrained("google/siglip-base-patch16-224", dtype=torch.float32)
else:
    model = SiglipVisionModel(SiglipVisionConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
