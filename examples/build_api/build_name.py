"""
A name for each build, so that two models of one script do not collide.
"""

import torch

from turnkeyml import build_model

torch.manual_seed(0)


class SmallModel(torch.nn.Module):
    """A single linear layer."""

    def __init__(self, input_size, output_size):
        super().__init__()
        self.fc = torch.nn.Linear(input_size, output_size)

    def forward(self, x):
        return self.fc(x)


model_a, model_b = SmallModel(10, 5), SmallModel(20, 5)

build_model(model_a, {"x": torch.rand(10)}, build_name="model_a")
build_model(model_b, {"x": torch.rand(20)}, build_name="model_b")
