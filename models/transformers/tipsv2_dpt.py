# labels: name::tipsv2_dpt author::google task::depth_estimation license::apache-2.0 test_group::transformers params::110244032
"""
Tipsv2DptForDepthEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/tipsv2_dpt/modeling_tipsv2_dpt.py
"""

import torch
from transformers import Tipsv2DptConfig, Tipsv2DptForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=448, width=448
)

# The model and its inputs
if pretrained:
    model = Tipsv2DptForDepthEstimation.from_pretrained(
        "google/tipsv2-b14-dpt", dtype=torch.float32
    )
else:
    model = Tipsv2DptForDepthEstimation(Tipsv2DptConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
