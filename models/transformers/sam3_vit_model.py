# labels: name::sam3_vit_model author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::446236672
"""
Sam3ViTModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam3/modeling_sam3.py
"""

import torch
from transformers import Sam3ViTConfig, Sam3ViTModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=1008, width=1008)

# The model and its inputs
model = Sam3ViTModel(Sam3ViTConfig(image_size=(height, width)))
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
