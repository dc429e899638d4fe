# labels: name::swiftformer author::mbzuai task::image_feature_extraction license::apache-2.0 test_group::transformers params::3032920
"""
SwiftFormerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/swiftformer/modeling_swiftformer.py
"""

import torch
from transformers import SwiftFormerConfig, SwiftFormerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = SwiftFormerModel.from_pretrained("MBZUAI/swiftformer-xs", dtype=torch.float32)
else:
    model = SwiftFormerModel(SwiftFormerConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
