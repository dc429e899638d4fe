# labels: name::dinov2_small author::facebook task::image_feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::22056576
"""
dinov2-small of facebook, for embeddings of pictures.

https://huggingface.co/facebook/dinov2-small
"""

import torch
from transformers import Dinov2Config, Dinov2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
config = Dinov2Config(hidden_size=384, num_attention_heads=6, image_size=518)
if pretrained:
    model = Dinov2Model.from_pretrained("facebook/dinov2-small", dtype=torch.float32)
else:
    model = Dinov2Model(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
