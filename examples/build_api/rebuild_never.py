"""
A build that is loaded as it is, stale or not, with a warning.
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


inputs = {"x": torch.rand(10)}

build_model(SmallModel(10, 5), inputs, rebuild="if_needed")
build_model(SmallModel(10, 5), inputs, rebuild="never")  # other weights: stale, but loaded
