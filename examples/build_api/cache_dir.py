"""
A cache of its own, beside the script that fills it.
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


model = SmallModel(10, 5)
cache_dir = "local_cache"

build_model(model, {"x": torch.rand(10)}, cache_dir=cache_dir)
