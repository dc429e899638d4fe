# labels: name::dpt_large author::intel task::depth_estimation license::apache-2.0 test_group::popular_on_huggingface params::343030465
"""
dpt-large of Intel, to estimate how far away each pixel is.

https://huggingface.co/Intel/dpt-large
"""

import torch
from transformers import DPTConfig, DPTForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = DPTConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    backbone_out_indices=[5, 11, 17, 23],
    neck_hidden_sizes=[256, 512, 1024, 1024],
)
if pretrained:
    model = DPTForDepthEstimation.from_pretrained("Intel/dpt-large", dtype=torch.float32)
else:
    model = DPTForDepthEstimation(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
