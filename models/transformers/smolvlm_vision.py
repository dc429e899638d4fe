# labels: name::smolvlm_vision author::huggingface task::image_feature_extraction license::apache-2.0 test_group::transformers params::152395776
"""
SmolVLMVisionTransformer of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/smolvlm/modeling_smolvlm.py
"""

import torch
from transformers import SmolVLMVisionConfig, SmolVLMVisionTransformer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = SmolVLMVisionTransformer(SmolVLMVisionConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
