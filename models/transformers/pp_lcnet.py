# labels: name::pp_lcnet author::baidu task::image_feature_extraction license::apache-2.0 test_group::transformers params::1674082
"""
PPLCNetForImageClassification of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pp_lcnet/modeling_pp_lcnet.py
"""

import torch
from transformers import PPLCNetConfig, PPLCNetForImageClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(["batch_size", "height", "width", "pretrained"])

# The model and its inputs
if pretrained:
    model = PPLCNetForImageClassification.from_pretrained(
        "PaddlePaddle/PP-LCNet_x1_0_doc_ori_safetensors", dtype=torch.float32
    )
else:
    model = PPLCNetForImageClassification(PPLCNetConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
