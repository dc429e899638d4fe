# labels: name::sam2_hiera_det_model author::meta task::image_feature_extraction license::apache-2.0 test_group::transformers params::26849472
"""
Sam2HieraDetModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam2/modeling_sam2.py
"""

import torch
from transformers import Sam2HieraDetConfig, Sam2HieraDetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=1024, width=1024)

# The model and its inputs
model = Sam2HieraDetModel(Sam2HieraDetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
