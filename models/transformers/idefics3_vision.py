# labels: name::idefics3_vision author::huggingface task::image_feature_extraction license::apache-2.0 test_group::transformers params::152395776
"""
Idefics3VisionTransformer of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/idefics3/modeling_idefics3.py
"""

import torch
from transformers import Idefics3VisionConfig, Idefics3VisionTransformer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = Idefics3VisionTransformer(Idefics3VisionConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
