# labels: name::poolformer author::sail task::image_feature_extraction license::apache-2.0 test_group::transformers params::11401152
"""
PoolFormerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/poolformer/modeling_poolformer.py
"""

import torch
from transformers import PoolFormerConfig, PoolFormerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = PoolFormerModel.from_pretrained("sail/poolformer_s12", dtype=torch.float32)
else:
    model = PoolFormerModel(PoolFormerConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
