# labels: name::prompt_depth_anything author::depth-anything task::depth_estimation license::apache-2.0 test_group::transformers params::25083073
"""
PromptDepthAnythingForDepthEstimation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/prompt_depth_anything/modeling_prompt_depth_anything.py
"""

import torch
from transformers import PromptDepthAnythingConfig, PromptDepthAnythingForDepthEstimation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=756, width=1008
)

# The model and its inputs
if pretrained:
    model = PromptDepthAnythingForDepthEstimation.from_pretrained(
        "depth-anything/prompt-depth-anything-vits-hf", dtype=torch.float32
    )
else:
    model = PromptDepthAnythingForDepthEstimation(PromptDepthAnythingConfig())
model.eval()
inputs = {
    "pixel_values": torch.rand(batch_size, 3, height, width),
    "prompt_depth": torch.rand(batch_size, 1, 192, 256),
}

# Call the model
model(**inputs)
