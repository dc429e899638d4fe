# labels: name::cvt author::microsoft task::image_feature_extraction license::apache-2.0 test_group::transformers params::19611712
"""
CvtModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/cvt/modeling_cvt.py
"""

import torch
from transformers import CvtConfig, CvtModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = CvtModel.from_pretrained("microsoft/cvt-13", dtype=torch.float32)
else:
    model = CvtModel(CvtConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
