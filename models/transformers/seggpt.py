# labels: name::seggpt author::baai task::semantic_segmentation license::apache-2.0 test_group::transformers params::370723203
"""
SegGptForImageSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/seggpt/modeling_seggpt.py
"""

import torch
from transformers import SegGptConfig, SegGptForImageSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = SegGptForImageSegmentation.from_pretrained("BAAI/seggpt-vit-large", dtype=torch.float32)
else:
    model = SegGptForImageSegmentation(SegGptConfig())
model.eval()
config = model.config
size = config.image_size[1]
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "prompt_pixel_values": torch.rand(batch_size, 3, size, size),
    "prompt_masks": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
