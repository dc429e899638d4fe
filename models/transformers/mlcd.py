# labels: name::mlcd author::deepglint-ai task::image_feature_extraction license::apache-2.0 test_group::transformers params::1842349748
"""
MLCDVisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mlcd/modeling_mlcd.py
"""

import torch
from transformers import AutoModel, MLCDVisionConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=336, width=336
)

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained(
        "DeepGlint-AI/mlcd-vit-bigG-patch14-336", dtype=torch.bfloat16
    )
else:
    model = AutoModel.from_config(MLCDVisionConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width, dtype=torch.bfloat16)}

# Call the model
model(**inputs)
