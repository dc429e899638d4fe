# labels: name::mobilenetv5_300m_enc author::timm task::image_feature_extraction license::apache-2.0 test_group::timm params::294126912
"""
mobilenetv5_300m_enc of timm, for images of 768 x 768.

https://github.com/huggingface/pytorch-image-models/blob/v1.0.30/timm/models/mobilenetv5.py
"""

import timm
import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width = parse(["batch_size", "height", "width"], height=768, width=768)

# The model and its inputs
model = timm.create_model("mobilenetv5_300m_enc")
model.eval()
inputs = {"x": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
