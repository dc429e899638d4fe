# labels: name::mgp_str author::alibaba-damo task::image_feature_extraction license::apache-2.0 test_group::transformers params::147952305
"""
MgpstrForSceneTextRecognition of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mgp_str/modeling_mgp_str.py
"""

import torch
from transformers import MgpstrConfig, MgpstrForSceneTextRecognition

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=32, width=128
)

# The model and its inputs
if pretrained:
    model = MgpstrForSceneTextRecognition.from_pretrained(
        "alibaba-damo/mgp-str-base", dtype=torch.float32
    )
else:
    model = MgpstrForSceneTextRecognition(MgpstrConfig(image_size=(height, width)))
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
