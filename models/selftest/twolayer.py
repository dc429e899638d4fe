# labels: name::twolayer author::selftest task::regression license::mit test_group::selftest,sample params::165
"""
Two linear layers with an activation between them, made for trying out turnkey.
"""

import torch

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])


class TwoLayerModel(torch.nn.Module):
    """Two linear layers."""

    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.fc = torch.nn.Linear(input_size, hidden_size)
        self.relu = torch.nn.ReLU()
        self.fc2 = torch.nn.Linear(hidden_size, output_size)

    def forward(self, x):
        return self.fc2(self.relu(self.fc(x)))


# The model and its inputs
model = TwoLayerModel(10, 10, 5)
model.eval()
inputs = {"x": torch.rand(batch_size, 10)}

# Call the model
model(**inputs)
