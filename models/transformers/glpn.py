# labels: name::glpn author::vinvino02 task::depth_estimation license::apache-2.0 test_group::transformers params::3664839
"""
GLPNForDepthEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/glpn/modeling_glpn.py
"""

import torch
from transformers import GLPNConfig, GLPNForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=480, width=640
)

# The model and its inputs
if pretrained:
    model = GLPNForDepthEstimation.from_pretrained("vinvino02/glpn-kitti", dtype=torch.float32)
else:
    model = GLPNForDepthEstimation(GLPNConfig())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
