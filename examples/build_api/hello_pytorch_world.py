"""
The least there is to building a model from Python.
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
inputs = {"x": torch.rand(10)}

state = build_model(model, inputs)

print(f"{state.build_name} is a {state.build_status} of the stages {state.sequence}")
