# labels: name::timm_wrapper author::timm task::image_feature_extraction license::apache-2.0 test_group::transformers params::23508032
"""
TimmWrapperModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/timm_wrapper/modeling_timm_wrapper.py
"""

import torch
from transformers import TimmWrapperConfig, TimmWrapperModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = TimmWrapperModel.from_pretrained("timm/resnet50.a1_in1k", dtype=torch.float32)
else:
    model = TimmWrapperModel(TimmWrapperConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
