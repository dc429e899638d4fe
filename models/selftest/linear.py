# labels: name::linear author::selftest task::regression license::mit test_group::selftest,sample params::110
"""
A single linear layer, made for trying out turnkey.
"""

import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])


class LinearModel(torch.nn.Module):
    """A single linear layer."""

    def __init__(self, input_size, output_size):
        super().__init__()
        self.fc = torch.nn.Linear(input_size, output_size)

    def forward(self, x):
        return self.fc(x)


# The model and its inputs
model = LinearModel(10, 10)
model.eval()
inputs = {"x": torch.rand(batch_size, 10)}

# Call the model
model(**inputs)
